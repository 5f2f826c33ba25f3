import { fieldError, found } from '../../domain/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import { findPriceRule, pullPriceRule, pushPriceRule } from './resources.store.ts';
import type { PriceRule } from './venues.model.ts';
import { getResource } from './venues.service.ts';

/** Adds a rule for new sales. @throws DomainError RESOURCE_NOT_FOUND; VALIDATION_ERROR at the limit of rules */
export async function addPriceRule(
  deps: { db: Db; clock: Clock },
  resourceId: string,
  input: Omit<PriceRule, 'id' | 'createdAt'>,
): Promise<PriceRule> {
  const { priceRules = [] } = await getResource(deps, resourceId);
  const rule = { id: newId(), ...input, createdAt: deps.clock.now() };
  if (!(await pushPriceRule(deps.db, resourceId, rule))) {
    throw fieldError(
      'resource_id',
      `the resource has ${priceRules.length} price rules, the most that it can have. Delete some first.`,
    );
  }
  leasedCacheOf(deps.db).freshen();
  return rule;
}

/** The rules of a resource, the oldest first. @throws DomainError RESOURCE_NOT_FOUND */
export async function listPriceRules(deps: { db: Db }, resourceId: string): Promise<PriceRule[]> {
  return (await getResource(deps, resourceId)).priceRules ?? [];
}

/** A rule and its resource. @throws DomainError PRICE_RULE_NOT_FOUND */
export async function getPriceRule(deps: { db: Db }, ruleId: string): Promise<{ resourceId: string; rule: PriceRule }> {
  return foundRule(await findPriceRule(deps.db, ruleId));
}

/** @throws DomainError PRICE_RULE_NOT_FOUND */
export async function removePriceRule(deps: { db: Db }, ruleId: string): Promise<void> {
  foundRule((await pullPriceRule(deps.db, ruleId)) || null);
  leasedCacheOf(deps.db).freshen();
}

const foundRule = <T>(rule: T | null) => found(rule, 'PRICE_RULE_NOT_FOUND', 'There is no price rule with that id.');
