import { toPaise, toRupees } from '../../domain/money.ts';
import { created, listing, noContent, type Operator, ok, type Route, routesOf } from '../../http/route.ts';
import type { Clock } from '../../platform/clock.ts';
import { camelCased } from '../../platform/objects.ts';
import type { ChangeDeps } from '../changes/changes.service.ts';
import { type PriceRuleBody, priceRule, priceRuleBody, priceRuleIdParam, priceRules } from './price-rules.schemas.ts';
import { addPriceRule, getPriceRule, listPriceRules, removePriceRule } from './price-rules.service.ts';
import type { PriceRule } from './resources.service.ts';
import { resourceIdParam } from './venues.schemas.ts';

const operatorRoute = routesOf<Operator>('Price rules');

const OF_RESOURCE = '/api/v1/operator/resources/:resourceId/price-rules';
const ONE = '/api/v1/operator/price-rules/:id';

export function priceRuleRoutes(deps: ChangeDeps & { clock: Clock }): Route<Operator>[] {
  return [
    operatorRoute.post(OF_RESOURCE, 'addPriceRule', {
      summary: 'Add a price for some slots of a resource',
      description: 'For new sales: holds and bookings keep their price.',
      params: { resourceId: resourceIdParam },
      body: priceRuleBody,
      responses: { 201: { description: 'The price rule.', body: priceRule } },
      errors: ['RESOURCE_NOT_FOUND'],
      handle: async ({ params: { resourceId }, body }) =>
        created(priceRuleView(resourceId, await addPriceRule(deps, resourceId, newRule(body)))),
    }),
    operatorRoute.get(OF_RESOURCE, 'listPriceRules', {
      summary: 'List the price rules of a resource',
      params: { resourceId: resourceIdParam },
      responses: { 200: { description: 'The price rules, the oldest first.', body: priceRules } },
      errors: ['RESOURCE_NOT_FOUND'],
      handle: async ({ params: { resourceId } }) =>
        listing((await listPriceRules(deps, resourceId)).map((rule) => priceRuleView(resourceId, rule))),
    }),
    operatorRoute.get(ONE, 'getPriceRule', {
      summary: 'Read a price rule',
      params: { id: priceRuleIdParam },
      responses: { 200: { description: 'The price rule.', body: priceRule } },
      errors: ['PRICE_RULE_NOT_FOUND'],
      handle: async ({ params }) => {
        const { resourceId, rule } = await getPriceRule(deps, params.id);
        return ok(priceRuleView(resourceId, rule));
      },
    }),
    operatorRoute.delete(ONE, 'removePriceRule', {
      summary: 'Remove a price rule',
      params: { id: priceRuleIdParam },
      responses: { 204: { description: 'It is gone.' } },
      errors: ['PRICE_RULE_NOT_FOUND'],
      handle: async ({ params }) => {
        await removePriceRule(deps, params.id);
        return noContent();
      },
    }),
  ];
}

const UNSET = { multiplier: null, daysOfWeek: null, startTime: null, endTime: null, fromDate: null, toDate: null };

function newRule({ price_rupees: price, ...fields }: PriceRuleBody): Omit<PriceRule, 'id' | 'createdAt'> {
  return { ...UNSET, ...camelCased(fields), pricePaise: price === undefined ? null : toPaise(price) };
}

function priceRuleView(resourceId: string, rule: PriceRule): Record<string, unknown> {
  return {
    price_rule_id: rule.id,
    resource_id: resourceId,
    name: rule.name,
    price_rupees: rule.pricePaise === null ? null : toRupees(rule.pricePaise),
    multiplier: rule.multiplier,
    days_of_week: rule.daysOfWeek,
    start_time: rule.startTime,
    end_time: rule.endTime,
    from_date: rule.fromDate,
    to_date: rule.toDate,
    priority: rule.priority,
    created_at: rule.createdAt.toISOString(),
  };
}
