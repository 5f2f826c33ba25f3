import type { Description, ObjectSchema } from 'joi';
import { EXAMPLE } from '../../src/http/example-values.ts';
import { exampleOf } from '../../src/http/openapi/json-schema.ts';
import type { Operation } from '../../src/http/route.ts';
import { memoizeByObject } from '../../src/platform/memoize-by-object.ts';
import type { Place } from './injection-payloads.ts';
import type { Input, KnownValues, Template } from './injection-template.ts';
import { MARK } from './injection-template.ts';

type Json = Record<string, unknown>;

/** What a caller sends to a route. */
export type RouteInput = Pick<Operation, 'method' | 'path' | 'query' | 'body'>;

/** An input, and the route whose schema describes it. */
export type InputOfRoute = Input & { route: RouteInput };

const HEADERS = ['x-api-key', 'x-request-id', 'content-type'];
const UNKNOWN_ID = '00000000-0000-7000-8000-00000000dead';

/** All inputs of the routes by their schemas, including nested members and items of lists. */
export function inputsOf(routes: readonly RouteInput[]): InputOfRoute[] {
  const nextIndex: Record<Place, number> = { body: 0, field: 0, query: 0, path: 0, header: 0 };
  return routes.flatMap((route) => {
    const method = route.method.toUpperCase();
    const input = (place: Place, name: string, isScalar = true): InputOfRoute => {
      const id = `${method} ${route.path} ${place} ${name}`;
      const index = nextIndex[place];
      nextIndex[place] += 1;
      return { id, method, place, name, route, index, isScalar };
    };
    const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => input('path', name));
    const query = Object.keys(keysOf(route.query)).map((name) => input('query', name));
    const fields = fieldsIn(keysOf(route.body)).map(({ name, isScalar }) => input('field', name, isScalar));
    const body = route.method === 'get' ? [] : [input('body', 'all')];
    return [...params, ...query, ...fields, ...body, ...HEADERS.map((name) => input('header', name))];
  });
}

type Described = Description & { keys?: Record<string, Described>; items?: Described[] };

/** Cached, because describing a schema costs more than its request. */
const describedKeys = memoizeByObject((schema: ObjectSchema) => (schema.describe() as Described).keys ?? {});

const keysOf = (schema: ObjectSchema | undefined): Record<string, Described> =>
  schema === undefined ? {} : describedKeys(schema);

function fieldsIn(keys: Record<string, Described>, prefix = ''): { name: string; isScalar: boolean }[] {
  return Object.entries(keys).flatMap(([key, described]) => fieldsOf(described, prefix + key));
}

function fieldsOf({ type, keys, items }: Described, name: string): { name: string; isScalar: boolean }[] {
  const isScalar = type !== 'object' && type !== 'array';
  const members = keys === undefined ? [] : fieldsIn(keys, `${name}.`);
  return [{ name, isScalar }, ...members, ...(items ?? []).flatMap((item) => fieldsOf(item, `${name}.0`))];
}

/** The legal call of a route, optionally with a gap in place of `input`. */
export function templateFor(
  { route, method, place, name }: InputOfRoute,
  known: KnownValues,
  { valueIndex, hasGap }: { valueIndex: number; hasGap: boolean },
): Template {
  const legal = legalValues(known, valueIndex);
  const gap = (where: Place) => (hasGap && place === where ? name : undefined);
  const query = queryOf(route, legal, place === 'query' ? name : undefined, hasGap);
  // A request that tests a header names no real object, so it changes nothing.
  const idIn = place === 'header' ? () => undefined : legal;
  const field = route.method === 'get' ? undefined : gap('field');
  return {
    method,
    path: pathOf(route, idIn, gap('path')) + query.text,
    ...(route.method === 'get' ? {} : { body: JSON.stringify(legalBody(route, legal, field)) }),
    legal: place === 'query' ? query.legal : JSON.stringify(legal(name.split('.').at(-1) ?? '') ?? 'legal'),
  };
}

type Legal = (name: string) => unknown;

function legalValues(known: KnownValues, valueIndex: number): Legal {
  return (name) => {
    if (name === 'idempotency_key') return `key-${Math.random()}`;
    const values = known[name] ?? [];
    return values.at(valueIndex % values.length);
  };
}

function pathOf(route: RouteInput, legal: Legal, gap: string | undefined): string {
  return route.path.replace(/([\w-]+)\/:(\w+)/g, (_whole, collection: string, parameter: string) => {
    const id = textOf(legal(collection) ?? UNKNOWN_ID);
    return `${collection}/${parameter === gap ? MARK : id}`;
  });
}

/** The query with the required parameters and `target`; `legal` is the legal value of `target`. */
function queryOf(route: RouteInput, legal: Legal, target: string | undefined, hasGap: boolean) {
  let legalOfTarget = 'x';
  const pairs = Object.entries(keysOf(route.query)).flatMap(([name, described]) => {
    if (!isRequired(described) && name !== target) return [];
    const accepted = route.query?.extract(name);
    const known = legal(name);
    const isKnown = known !== undefined && accepted?.validate(known).error === undefined;
    const value = isKnown ? known : exampleIn(described);
    if (name === target && value !== undefined) legalOfTarget = textOf(value);
    if (name === target && hasGap) return [MARK];
    return value === undefined ? [] : [`${name}=${encodeURIComponent(textOf(value))}`];
  });
  return { text: pairs.length === 0 ? '' : `?${pairs.join('&')}`, legal: legalOfTarget };
}

const isRequired = ({ flags }: Described): boolean =>
  flags !== undefined && 'presence' in flags && flags.presence === 'required';

/** A value as text in a query or a path. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function exampleIn(described: Described): unknown {
  return described['examples']?.at(-1) ?? (described['allow'] as unknown[] | undefined)?.[0];
}

/** Replaces ids in a list of objects with real ones: `resources.0.resource_id`. */
function withRealMembers(example: unknown, legal: Legal): unknown {
  if (!Array.isArray(example)) return example;
  return example.map((item: Json | string) =>
    typeof item === 'object'
      ? Object.fromEntries(Object.entries(item).map(([name, value]) => [name, legal(name) ?? value]))
      : item,
  );
}

/** The route's example body with real values, and the mark in place of `target`. */
function legalBody(route: RouteInput, legal: Legal, target: string | undefined): Json {
  if (route.body === undefined) return {};
  const schema = route.body;
  const body = Object.fromEntries(
    Object.entries(exampleOf(schema) as Json).map(([name, example]) => {
      const known = legal(name);
      const isKnown = known !== undefined && schema.extract(name).validate(known).error === undefined;
      return [name, structuredClone(isKnown ? known : withRealMembers(example, legal))];
    }),
  );
  if (target === undefined) return body;
  // If two fields exclude each other, keep the tested one.
  if (target === 'multiplier') delete body['price_rupees'];
  if (/^(resource_ids|sport_category|duration_minutes)\b/.test(target) && 'slot_id' in body) {
    delete body['slot_id'];
    Object.assign(body, { venue_id: legal('venue_id') ?? EXAMPLE.venueId, slot_start: EXAMPLE.slotStart });
    if (!target.startsWith('resource_ids')) body['sport_category'] = 'football';
  }
  const segments = target.split('.');
  let place: Json = body;
  for (const [index, segment] of segments.slice(0, -1).entries()) {
    const isList = segments[index + 1] === '0';
    if (typeof place[segment] !== 'object' || Array.isArray(place[segment]) !== isList)
      place[segment] = isList ? [] : {};
    place = place[segment] as Json;
  }
  place[segments.at(-1) ?? ''] = MARK;
  return body;
}
