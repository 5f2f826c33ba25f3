import type { AnyService, Json, Partner, Venue } from './factories.ts';
import { anyPartner, anyVenue, dateIn, freeSlotIds } from './factories.ts';

/** A venue with free slots and two partners that may sell it. */
export type Scene = {
  venue: Venue;
  partner: Partner;
  rival: Partner;
  /** The slots that the suite has not used yet, in order. */
  slots: string[];
  /** A slot that the suite has not used yet; throws if none is left. */
  slot(): string;
};

type SceneOptions = { resources?: readonly Json[]; venue?: Json; days?: readonly number[] };

/** `count` days from the third day on. */
export const nextDays = (count: number): number[] => Array.from({ length: count }, (_, index) => 3 + index);

/** `resources` and `venue` as for `anyVenue`; the slots are those of all `days`, counted from today. */
export async function startScene(
  service: AnyService,
  { resources, venue: fields, days = [3] }: SceneOptions = {},
): Promise<Scene> {
  const venue = await anyVenue(service, resources, fields);
  const [partner, rival] = await Promise.all([anyPartner(service, [venue.id]), anyPartner(service, [venue.id])]);
  const slots = (await Promise.all(days.map((day) => freeSlotIds(partner, venue.id, dateIn(day))))).flat();
  const slot = () => {
    const id = slots.shift();
    if (id === undefined) throw new Error('No slot is left');
    return id;
  };
  return { venue, partner, rival, slots, slot };
}
