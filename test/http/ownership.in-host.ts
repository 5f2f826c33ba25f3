import Joi from 'joi';
import { partnerRoutes } from '../../src/main/partner-app.ts';
import type { Service } from '../support/service.ts';
import { inputsOf, type RouteInput } from './injection-inputs.ts';

/** The ids that routes accept: path parameters, and ids in body and query at any depth, such as `lines.0.slot_id`. */
function acceptedIds(routes: readonly RouteInput[]): string[] {
  const ids = inputsOf(routes).filter(
    ({ place, name }) =>
      place === 'path' || ((place === 'query' || place === 'field') && /(^|[._])ids?(\.0)?$/.test(name)),
  );
  return [...new Set(ids.map(({ method, route, name }) => `${method} ${route.path} ${name}`))];
}

/** All ids that routes of the partner interface accept: `POST /api/v1/partner/holds slot_id`. */
export const idsOfPartnerRoutes = (context: Service['context']): string[] => acceptedIds(partnerRoutes(context));

/** All ids of a planted route with an id in every possible place. */
export function idsOfPlantedRoute(_context: Service['context']): string[] {
  const line = Joi.object({ slot_id: Joi.string(), note: Joi.string() });
  const planted: RouteInput = {
    method: 'post',
    path: '/api/v1/planted/:plantedId',
    query: Joi.object({ venue_id: Joi.string(), limit: Joi.number() }),
    body: Joi.object({ lines: Joi.array().items(line), hold_ids: Joi.array().items(Joi.string()) }),
  };
  return acceptedIds([planted]);
}

/** The listings of the partner interface, which need no id. */
export const pathsOfListings = (context: Service['context']): string[] =>
  partnerRoutes(context)
    .filter(({ method, path }) => method === 'get' && !path.includes(':'))
    .filter(({ query }) => query?.validate({}).error === undefined)
    .map(({ path }) => path);
