import mongoose from 'mongoose';
import type { Db } from '../platform/mongo.ts';
import { MAX_PRICE_RULES } from './price-rule-limit.rules.ts';
import type { PriceRule, ResourceRow } from './venues.model.ts';
import { resourceModel } from './venues.model.ts';

type OfVenue = Pick<ResourceRow, 'venueId'>;

/** Adds a rule as the newest of the resource, which it returns; null where it has the most that it can have, or does not exist. */
export async function pushPriceRule(db: Db, resourceId: string, rule: PriceRule): Promise<OfVenue | null> {
  const hasRoom = { [`priceRules.${MAX_PRICE_RULES - 1}`]: mongoose.trusted({ $exists: false }) };
  return resourceModel(db)
    .findOneAndUpdate({ _id: resourceId, ...hasRoom }, { $push: { priceRules: rule } })
    .lean();
}

/** A rule with the resource that it is of; null where there is none of that id. */
export async function findPriceRule(
  db: Db,
  ruleId: string,
): Promise<{ resourceId: string; rule: PriceRule } | null> {
  const resource = await resourceModel(db).findOne({ 'priceRules.id': ruleId }, { priceRules: 1 }).lean();
  const rule = resource?.priceRules?.find(({ id }) => id === ruleId);
  return resource === null || rule === undefined ? null : { resourceId: resource._id, rule };
}

/** Takes a rule away from its resource, which it returns; null where there is none of that id. */
export async function pullPriceRule(db: Db, ruleId: string): Promise<OfVenue | null> {
  return resourceModel(db)
    .findOneAndUpdate({ 'priceRules.id': ruleId }, { $pull: { priceRules: { id: ruleId } } })
    .lean();
}
