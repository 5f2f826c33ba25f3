import type { ObjectSchema } from 'joi';
import Joi from 'joi';
import type { Operation } from '../../src/http/route.ts';
import { partnerRoutes } from '../../src/main/partner-app.ts';
import type { Service } from '../support/service.ts';
import { inputsOf } from './injection-inputs.ts';

type RouteInput = { method: string; path: string; body?: ObjectSchema; query?: ObjectSchema };

/** The ids that a route takes: path parameters, and whatever names an object in body and query, however deep: `lines.0.slot_id`. */
function idsOf(route: RouteInput): string[] {
  const named = inputsOf([route as Operation])
    .filter(({ place }) => place === 'path' || place === 'query' || place === 'field')
    .map(({ place, name }) => ({ name, isId: place === 'path' || /(^|[._])ids?(\.0)?$/.test(name) }));
  return [...new Set(named.filter(({ isId }) => isId).map(({ name }) => name))];
}

const idsTaken = (routes: readonly RouteInput[]) =>
  routes.flatMap((route) => idsOf(route).map((id) => `${route.method.toUpperCase()} ${route.path} ${id}`));

/** Every id that a route of the partner interface takes: `POST /api/v1/partner/holds slot_id`. */
export const idsOfPartnerRoutes = (context: Service['context']): string[] => idsTaken(partnerRoutes(context));

/** Every id that a planted route takes, with ids wherever one can stand. */
export function idsOfPlantedRoute(_context: Service['context']): string[] {
  const line = Joi.object({ slot_id: Joi.string(), note: Joi.string() });
  const planted = {
    method: 'post',
    path: '/api/v1/planted/:plantedId',
    query: Joi.object({ venue_id: Joi.string(), limit: Joi.number() }),
    body: Joi.object({ lines: Joi.array().items(line), hold_ids: Joi.array().items(Joi.string()) }),
  };
  return idsTaken([planted]);
}

/** The listings of the partner interface: they show what there is to a caller that names nothing. */
export const pathsOfListings = (context: Service['context']): string[] =>
  partnerRoutes(context)
    .filter(({ method, path }) => method === 'get' && !path.includes(':'))
    .filter(({ query }) => query?.validate({}).error === undefined)
    .map(({ path }) => path);
