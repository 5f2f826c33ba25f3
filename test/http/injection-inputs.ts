import type { Description, ObjectSchema } from 'joi';
import { exampleOf } from '../../src/http/openapi/examples.ts';
import type { Operation } from '../../src/http/route.ts';
import type { Place, Shot } from './injection-payloads.ts';
import type { RawRequest } from './injection-sender.ts';

type Json = Record<string, unknown>;

/** Real values by the name of a field, or by the segment before a parameter of a path (`holds`). */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/** One place of one route in which a caller can put something. */
export type Input = {
  /** `POST /api/v1/partner/holds field ttl_seconds` */
  id: string;
  place: Place;
  /** Of a field: its whole path, `weekly.mon.0.start`. */
  name: string;
  route: Operation;
  /** Its place among all inputs of its kind, by which its payloads are chosen. */
  index: number;
  /** Of a field: no object or list belongs there. */
  isScalar: boolean;
};

const HEADERS = ['x-api-key', 'x-request-id', 'content-type'];
const NOBODY = '00000000-0000-7000-8000-00000000dead';
const MARK = '\u{10FFFD}';

/** Every input of the routes, as their schemas describe it, members of members and items of lists included. */
export function inputsOf(routes: readonly Operation[]): Input[] {
  const seen: Record<Place, number> = { body: 0, field: 0, query: 0, path: 0, header: 0 };
  return routes.flatMap((route) => {
    const input = (place: Place, name: string, isScalar = true): Input => {
      const id = `${route.method.toUpperCase()} ${route.path} ${place} ${name}`;
      const index = seen[place];
      seen[place] += 1;
      return { id, place, name, route, index, isScalar };
    };
    const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => input('path', name));
    const query = Object.keys(keysOf(route.query)).map((name) => input('query', name));
    const fields = fieldsIn(keysOf(route.body)).map(({ name, isScalar }) => input('field', name, isScalar));
    const body = route.method === 'get' ? [] : [input('body', 'all')];
    return [...params, ...query, ...fields, ...body, ...HEADERS.map((name) => input('header', name))];
  });
}

type Described = Description & { keys?: Record<string, Described>; items?: Described[] };

/** Describing a schema costs more than the request in which it is used. */
const descriptions = new WeakMap<ObjectSchema, Record<string, Described>>();

function keysOf(schema: ObjectSchema | undefined): Record<string, Described> {
  if (schema === undefined) return {};
  const known = descriptions.get(schema) ?? (schema.describe() as Described).keys ?? {};
  descriptions.set(schema, known);
  return known;
}

function fieldsIn(keys: Record<string, Described>, prefix = ''): { name: string; isScalar: boolean }[] {
  return Object.entries(keys).flatMap(([key, described]) => fieldsOf(described, prefix + key));
}

function fieldsOf({ type, keys, items }: Described, name: string): { name: string; isScalar: boolean }[] {
  const isScalar = type !== 'object' && type !== 'array';
  const members = keys === undefined ? [] : fieldsIn(keys, `${name}.`);
  return [{ name, isScalar }, ...members, ...(items ?? []).flatMap((item) => fieldsOf(item, `${name}.0`))];
}

/** The legal call of a route, in which `shot` stands in the place of `input`; without a shot, the legal call itself. */
export function requestFor(input: Input, shot: Shot | undefined, known: Known, turn: number): RawRequest {
  const { route, place, name } = input;
  const legal = legalValues(known, turn);
  const target = place === 'query' ? name : undefined;
  const body =
    route.method === 'get' ? undefined : legalBody(route, legal, place === 'field' ? name : undefined);
  const request: RawRequest = {
    method: route.method.toUpperCase(),
    path: pathOf(input, shot, legal) + queryOf(route, legal, target, shot),
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: bodyWith(body, input, shot, legal) }),
  };
  if (place !== 'header' || shot === undefined) return request;
  const { [name]: _, ...headers } = request.headers;
  return { ...request, headers, header: { name, value: shot.raw(name, '') } };
}

/** The same call of a listing, but for the parameter. */
export function requestWithout(input: Input, known: Known): RawRequest {
  const request = requestFor({ ...input, place: 'path', name: '' }, undefined, known, 0);
  const [path = '', query = ''] = request.path.split('?');
  const others = query.split('&').filter((pair) => !pair.startsWith(`${input.name}=`));
  return { ...request, path: `${path}?${others.join('&')}` };
}

type Legal = (name: string) => unknown;

function legalValues(known: Known, turn: number): Legal {
  return (name) => {
    if (name === 'idempotency_key') return `key-${Math.random()}`;
    const values = known[name] ?? [];
    return values.at(turn % values.length);
  };
}

function pathOf({ route, place, name }: Input, shot: Shot | undefined, legal: Legal): string {
  return route.path.replace(/([\w-]+)\/:(\w+)/g, (_whole, collection: string, parameter: string) => {
    // What a header comes with should change nothing.
    const real = place === 'header' ? NOBODY : textOf(legal(collection) ?? NOBODY);
    const isHere = place === 'path' && parameter === name;
    return `${collection}/${isHere && shot !== undefined ? shot.raw(name, '').toString() : real}`;
  });
}

function queryOf(route: Operation, legal: Legal, target: string | undefined, shot: Shot | undefined): string {
  const pairs = Object.entries(keysOf(route.query)).flatMap(([name, described]) => {
    const isNeeded = isRequired(described);
    if (!isNeeded && name !== target) return [];
    const accepted = route.query?.extract(name);
    const known = legal(name);
    const isKnown = known !== undefined && accepted?.validate(known).error === undefined;
    const value = isKnown ? known : exampleIn(described);
    if (name === target && shot !== undefined) return [shot.raw(name, textOf(value ?? 'x')).toString()];
    return value === undefined ? [] : [`${name}=${encodeURIComponent(textOf(value))}`];
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

const isRequired = ({ flags }: Described): boolean =>
  flags !== undefined && 'presence' in flags && flags.presence === 'required';

/** A value as a query or a path has it. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function exampleIn(described: Described): unknown {
  return described['examples']?.at(-1) ?? (described['allow'] as unknown[] | undefined)?.[0];
}

/** The example of the route's body with real values, and where the field `target` is, the mark in its place. */
function legalBody(route: Operation, legal: Legal, target: string | undefined): Json {
  if (route.body === undefined) return {};
  const schema = route.body;
  const body = Object.fromEntries(
    Object.entries(exampleOf(schema) as Json).map(([name, example]) => {
      const known = legal(name);
      const isKnown = known !== undefined && schema.extract(name).validate(known).error === undefined;
      return [name, structuredClone(isKnown ? known : example)];
    }),
  );
  if (target === undefined) return body;
  // Two that exclude each other: the one under test stays.
  if (target === 'multiplier') delete body['price_rupees'];
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

function bodyWith(body: Json, input: Input, shot: Shot | undefined, legal: Legal): Buffer {
  const text = JSON.stringify(body);
  if (input.place === 'body') return shot === undefined ? Buffer.from(text) : shot.raw('', text);
  const [before = '', after] = text.split(JSON.stringify(MARK));
  if (after === undefined) return Buffer.from(before);
  const name = input.name.split('.').at(-1) ?? '';
  const given = JSON.stringify(legal(name) ?? 'legal');
  return Buffer.concat([
    Buffer.from(before),
    shot?.raw(name, given) ?? Buffer.from(given),
    Buffer.from(after),
  ]);
}
