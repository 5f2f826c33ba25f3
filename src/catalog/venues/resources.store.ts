import mongoose from 'mongoose';
import type { Db, Tx } from '../../platform/mongo.ts';
import { NEWEST } from '../../platform/newest-reads.ts';
import { MAX_PRICE_RULES } from './price-rule-limit.rules.ts';
import {
  type PriceRule,
  type ResourceColumns,
  type ResourceRow,
  resourceCollection,
  resourceModel,
} from './venues.model.ts';
import { newestById } from './venues.store.ts';

/** Throws a duplicate-key error if the id is taken. */
export async function insertResource(db: Db, resource: ResourceRow, session: Tx): Promise<void> {
  await resourceModel(db).create([resource], { session });
}

export const findResource = newestById<ResourceRow>(resourceCollection);

export async function listResourceRows(db: Db, venueId: string): Promise<ResourceRow[]> {
  return resourceCollection(db).find({ venueId }, NEWEST).sort({ _id: 1 }).toArray();
}

/** The resource before the change; null if there is no such resource. */
export async function updateResourceRow(
  db: Db,
  resourceId: string,
  set: ResourceColumns,
  session: Tx,
): Promise<ResourceRow | null> {
  // If an operator sets the status, a later `switchBack` must not change it.
  const endSwitchOffs = set.status === undefined ? {} : { $unset: { offFor: 1 as const } };
  return resourceModel(db)
    .findByIdAndUpdate(resourceId, { $set: set, ...endSwitchOffs }, { returnDocument: 'before', session })
    .lean();
}

/**
 * Makes a resource inactive until every caller of `switchOff` has called `switchBack`. False if an operator made it
 * inactive.
 */
export async function switchOff(db: Db, resourceId: string, callId: string, session: Tx): Promise<boolean> {
  const isOff = { offFor: mongoose.trusted({ $exists: true }) };
  const { matchedCount } = await resourceModel(db).updateOne(
    { _id: resourceId, $or: [{ status: 'active' as const }, isOff] },
    { $set: { status: 'inactive' }, $addToSet: { offFor: callId } },
    { session },
  );
  return matchedCount === 1;
}

/** Undoes `switchOff`: the last caller makes the resource active, unless an operator has set its status meanwhile. */
export async function switchBack(db: Db, resourceId: string, callId: string): Promise<void> {
  const resources = resourceModel(db);
  await resources.updateOne({ _id: resourceId, offFor: callId }, { $pull: { offFor: callId } });
  await resources.updateOne({ _id: resourceId, offFor: [] }, { $set: { status: 'active' }, $unset: { offFor: 1 } });
}

/** False if the resource has no schedule. */
export async function unsetSchedule(db: Db, resourceId: string, session: Tx): Promise<boolean> {
  const hasSchedule = { schedule: mongoose.trusted({ $exists: true }) };
  const update = { $unset: { schedule: 1 as const } };
  const { modifiedCount } = await resourceModel(db).updateOne({ _id: resourceId, ...hasSchedule }, update, { session });
  return modifiedCount === 1;
}

/** Makes the resource share space with exactly `otherIds`, on both sides. Returns the resource's previous list. */
export async function relateResources(
  db: Db,
  { _id, venueId }: Pick<ResourceRow, '_id' | 'venueId'>,
  otherIds: readonly string[],
  session: Tx,
): Promise<string[]> {
  const sharesSpaceWith = [...otherIds];
  const resources = resourceModel(db);
  const before = await resources.findByIdAndUpdate(_id, { $set: { sharesSpaceWith } }, { session }).lean();
  const sharing = { _id: mongoose.trusted({ $in: sharesSpaceWith }), venueId };
  await resources.updateMany(sharing, { $addToSet: { sharesSpaceWith: _id } }, { session });
  const noLongerSharing = { _id: mongoose.trusted({ $nin: sharesSpaceWith }), venueId, sharesSpaceWith: _id };
  await resources.updateMany(noLongerSharing, { $pull: { sharesSpaceWith: _id } }, { session });
  return before?.sharesSpaceWith ?? [];
}

/** The sports of these venues' resources, sorted, in their stored spelling. */
export async function listSports(db: Db, venueIds: readonly string[]): Promise<string[]> {
  const found = await resourceCollection(db).distinct('sportCategory', { venueId: { $in: [...venueIds] } });
  return found.sort();
}

/** The venues of `venueIds` with a resource of one of these sports. */
export async function findVenueIdsWithSports(
  db: Db,
  venueIds: readonly string[],
  sports: readonly string[],
): Promise<string[]> {
  const filter = { venueId: { $in: [...venueIds] }, sportCategory: { $in: [...sports] } };
  return resourceCollection(db).distinct('venueId', filter);
}

/** The resource as the transaction sees it; the transaction conflicts with concurrent changes of the resource. */
export async function fenceResource(db: Db, resourceId: string, tx: Tx): Promise<ResourceRow | null> {
  return resourceModel(db)
    .findByIdAndUpdate(resourceId, { $inc: { claimFence: 1 } }, { session: tx, returnDocument: 'after' })
    .lean();
}

/** Adds a rule; false if the resource is at the limit of rules, or does not exist. */
export async function pushPriceRule(db: Db, resourceId: string, rule: PriceRule, session: Tx): Promise<boolean> {
  const hasRoom = { [`priceRules.${MAX_PRICE_RULES - 1}`]: mongoose.trusted({ $exists: false }) };
  const { matchedCount } = await resourceModel(db).updateOne(
    { _id: resourceId, ...hasRoom },
    { $push: { priceRules: rule } },
    { session },
  );
  return matchedCount === 1;
}

export async function findPriceRule(db: Db, ruleId: string): Promise<{ resourceId: string; rule: PriceRule } | null> {
  const resource = await resourceModel(db).findOne({ 'priceRules.id': ruleId }, { priceRules: 1 }).lean();
  const rule = resource?.priceRules?.find(({ id }) => id === ruleId);
  return resource === null || rule === undefined ? null : { resourceId: resource._id, rule };
}

/** Removes a rule; false if no rule has that id. */
export async function pullPriceRule(db: Db, ruleId: string, session: Tx): Promise<boolean> {
  const { matchedCount } = await resourceModel(db).updateOne(
    { 'priceRules.id': ruleId },
    { $pull: { priceRules: { id: ruleId } } },
    { session },
  );
  return matchedCount === 1;
}
