import { DomainError, fieldError, found } from '../../domain/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import { announcing, type ChangeDeps } from '../changes/changes.service.ts';
import { MAX_PRICE_RULES } from './price-rule-limit.rules.ts';
import { getResource } from './resources.service.ts';
import { findPriceRule, pullPriceRule, pushPriceRule } from './resources.store.ts';
import { changeOfPriceRule } from './venue-changes.rules.ts';
import type { PriceRule } from './venues.model.ts';
import { getVenue } from './venues.service.ts';

/** Adds a rule for new sales. @throws DomainError RESOURCE_NOT_FOUND; VALIDATION_ERROR at the limit of rules */
export async function addPriceRule(
  deps: ChangeDeps & { clock: Clock },
  resourceId: string,
  input: Omit<PriceRule, 'id' | 'createdAt'>,
): Promise<PriceRule> {
  const resource = await getResource(deps, resourceId);
  const { timeZone } = await getVenue(deps, resource.venueId);
  const rule = { id: newId(), ...input, createdAt: deps.clock.now() };
  const change = changeOfPriceRule(resource, rule, timeZone);
  const isAdded = await announcing(deps, change, (tx) => pushPriceRule(deps.db, resourceId, rule, tx));
  if (!isAdded) {
    throw fieldError(
      'resource_id',
      `the resource has ${MAX_PRICE_RULES} price rules, which is the maximum. Delete some first.`,
    );
  }
  await leasedCacheOf(deps.db).invalidate('here');
  return rule;
}

/** The rules of a resource, the oldest first. @throws DomainError RESOURCE_NOT_FOUND */
export async function listPriceRules(deps: { db: Db }, resourceId: string): Promise<PriceRule[]> {
  return (await getResource(deps, resourceId)).priceRules ?? [];
}

/** A rule and the id of its resource. @throws DomainError PRICE_RULE_NOT_FOUND */
export async function getPriceRule(deps: { db: Db }, ruleId: string): Promise<{ resourceId: string; rule: PriceRule }> {
  return found(await findPriceRule(deps.db, ruleId), 'PRICE_RULE_NOT_FOUND', NO_RULE);
}

/** @throws DomainError PRICE_RULE_NOT_FOUND */
export async function removePriceRule(deps: ChangeDeps, ruleId: string): Promise<void> {
  const { resourceId, rule } = await getPriceRule(deps, ruleId);
  const resource = await getResource(deps, resourceId);
  const { timeZone } = await getVenue(deps, resource.venueId);
  const change = changeOfPriceRule(resource, rule, timeZone);
  const isRemoved = await announcing(deps, change, (tx) => pullPriceRule(deps.db, ruleId, tx));
  if (!isRemoved) throw new DomainError('PRICE_RULE_NOT_FOUND', NO_RULE);
  await leasedCacheOf(deps.db).invalidate('here');
}

const NO_RULE = 'There is no price rule with that id.';
