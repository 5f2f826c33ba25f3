import { LRUCache } from 'lru-cache';
import { isBlackedOut } from '../../catalog/blackouts/blackout.rules.ts';
import { type PricedSlot, pricedSlotsOn, slotIdOf, spanOf } from '../../catalog/slots/slot.rules.ts';
import type { VenueRules } from '../../catalog/slots/venue-rules.store.ts';
import type { ResourceRow } from '../../catalog/venues/resources.service.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';

/** A slot of the schedule with everything that neither claims nor the time change. */
export type PlannedSlot = PricedSlot & { slotId: string; resource: ResourceRow; isBlackedOut: boolean };

export type Plan = readonly PlannedSlot[];

const MAX_SLOTS = 40_000;

/** Plans, each with the rules it was made from: changed rules are another object (ADR 0006). */
const plansOf = memoizeByObject(
  (_db: Db) =>
    new LRUCache<string, { rules: VenueRules; plan: Plan }>({
      maxSize: MAX_SLOTS,
      sizeCalculation: ({ plan }) => plan.length + 1,
    }),
);

/** The slots of all resources of a venue on an operating date, or of one of them. */
export function planOf({ db }: { db: Db }, rules: VenueRules, date: string, resource?: ResourceRow): Plan {
  const plans = plansOf(db);
  const key = `${rules.venue._id} ${date} ${resource?._id ?? ''}`;
  const known = plans.get(key);
  if (known?.rules === rules) return known.plan;
  const plan = makePlan(rules, date, resource === undefined ? rules.resources : [resource]);
  plans.set(key, { rules, plan });
  return plan;
}

function makePlan({ venue, blackouts }: VenueRules, date: string, resources: readonly ResourceRow[]): Plan {
  const slots = pricedSlotsOn(venue, resources, [date]);
  const { from, to } = spanOf(slots);
  // A venue may have a thousand blackouts, and a date hundreds of slots.
  const ofDate = blackouts.filter(({ startsAt, endsAt }) => startsAt < to && endsAt > from);
  // The slots of all resources begin at the same few instants.
  const endings = new Map<Date, string>();
  const endingOf = (start: Date): string => {
    const ending = endings.get(start) ?? slotIdOf('', start);
    endings.set(start, ending);
    return ending;
  };
  // Spreading `...slot` instead takes 4.5 ms of processor time a read instead of 2.7.
  return slots.map(({ resource, start, end, pricePaise }) => ({
    resource,
    date,
    start,
    end,
    pricePaise,
    slotId: resource._id + endingOf(start),
    isBlackedOut: isBlackedOut(resource, { start, end }, ofDate),
  }));
}
