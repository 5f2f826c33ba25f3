import type { PriceRuleBody } from '../../venues/price-rules.schemas.ts';
import type { ScheduleBody } from '../../venues/schedules.schemas.ts';
import type { ResourceBody, VenueBody } from '../../venues/venues.schemas.ts';

// What a file wants, every value of it checked.

export type WantedRule = { line: number; body: PriceRuleBody };
export type WantedSchedule = { line: number; body: ScheduleBody };

export type WantedResource = {
  line: number;
  key: string;
  body: Omit<ResourceBody, 'shares_space_with'>;
  /** Whether the file says anything of the ground that this one shares. */
  saysShared: boolean;
  /** The keys of those with which it shares ground, whichever of the two says so. */
  sharesWith: Set<string>;
  schedule?: WantedSchedule;
  rules: WantedRule[];
};

export type WantedVenue = { line: number; key: string; body: VenueBody; resources: WantedResource[] };
