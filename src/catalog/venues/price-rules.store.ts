import mongoose from 'mongoose';
import type { Db } from '../../platform/mongo.ts';
import { MAX_PRICE_RULES } from './price-rule-limit.rules.ts';
import type { PriceRule } from './venues.model.ts';
import { resourceModel } from './venues.model.ts';

/** Adds a rule as the newest; false if the resource has the most it can have, or does not exist. */
export async function pushPriceRule(db: Db, resourceId: string, rule: PriceRule): Promise<boolean> {
  const hasRoom = { [`priceRules.${MAX_PRICE_RULES - 1}`]: mongoose.trusted({ $exists: false }) };
  const { matchedCount } = await resourceModel(db).updateOne(
    { _id: resourceId, ...hasRoom },
    { $push: { priceRules: rule } },
  );
  return matchedCount === 1;
}

export async function findPriceRule(
  db: Db,
  ruleId: string,
): Promise<{ resourceId: string; rule: PriceRule } | null> {
  const resource = await resourceModel(db).findOne({ 'priceRules.id': ruleId }, { priceRules: 1 }).lean();
  const rule = resource?.priceRules?.find(({ id }) => id === ruleId);
  return resource === null || rule === undefined ? null : { resourceId: resource._id, rule };
}

/** Removes a rule; false if there is none of that id. */
export async function pullPriceRule(db: Db, ruleId: string): Promise<boolean> {
  const { matchedCount } = await resourceModel(db).updateOne(
    { 'priceRules.id': ruleId },
    { $pull: { priceRules: { id: ruleId } } },
  );
  return matchedCount === 1;
}
