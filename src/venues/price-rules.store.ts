import mongoose from 'mongoose';
import type { Db } from '../platform/mongo.ts';
import type { PriceRule, ResourceRow } from './venues.model.ts';
import { MAX_PRICE_RULES, resourceModel } from './venues.model.ts';

/** Adds a rule as the newest of the resource; false where it has the most that it can have, or does not exist. */
export async function pushPriceRule(db: Db, resourceId: string, rule: PriceRule): Promise<boolean> {
  const hasRoom = { [`priceRules.${MAX_PRICE_RULES - 1}`]: mongoose.trusted({ $exists: false }) };
  const { matchedCount } = await resourceModel(db).updateOne(
    { _id: resourceId, ...hasRoom },
    { $push: { priceRules: rule } },
  );
  return matchedCount === 1;
}

/** Takes a rule away from its resource; false where there is none of that id. */
export async function pullPriceRule(db: Db, ruleId: string): Promise<boolean> {
  const { matchedCount } = await resourceModel(db).updateOne(
    { 'priceRules.id': ruleId },
    { $pull: { priceRules: { id: ruleId } } },
  );
  return matchedCount === 1;
}

/** The resource that has the rule, or null where there is none of that id. */
export async function findResourceOfPriceRule(db: Db, ruleId: string): Promise<ResourceRow | null> {
  return resourceModel(db).findOne({ 'priceRules.id': ruleId }).lean();
}
