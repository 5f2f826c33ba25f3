import type { Place, Shot } from './injection-payloads.ts';
import type { RawRequest } from './injection-sender.ts';

/** Real values by field name, or by the segment before a path parameter (`holds`). */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

/** One place of a route in which a caller can put a value. */
export type Input = {
  /** `POST /api/v1/partner/holds field ttl_seconds` */
  id: string;
  method: string;
  place: Place;
  /** The name; for a field its path, `weekly.mon.0.start`. */
  name: string;
  /** The index among the inputs of the same place; selects the payloads. */
  index: number;
  /** Whether the field must not be an object or a list. */
  isScalar: boolean;
};

/** Marks the place of the payload in a path or a body. */
export const MARK = '\u{10FFFD}';

/** A legal call as JSON, optionally with a gap for a payload; `legal` is the value for the gap. */
export type Template = { method: string; path: string; body?: string; legal: string };

/** The legal call of this template. */
export function legalRequest({ method, path, body }: Template): RawRequest {
  return body === undefined
    ? { method, path, headers: {} }
    : { method, path, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
}

/** The call with `shot` in place of `input`. */
export function requestWith({ id, place, name }: Input, shot: Shot, template: Template): RawRequest {
  const request = legalRequest(template);
  const { path, body = '', legal } = template;
  switch (place) {
    case 'header': {
      const { [name]: _, ...headers } = request.headers;
      return { ...request, headers, header: { name, value: shot.raw(name, '') } };
    }
    case 'body':
      return { ...request, body: shot.raw('', body) };
    case 'field': {
      const [before, after] = aroundGap(id, body, JSON.stringify(MARK));
      const value = shot.raw(name.split('.').at(-1) ?? '', legal);
      return { ...request, body: Buffer.concat([Buffer.from(before), value, Buffer.from(after)]) };
    }
    case 'path':
    case 'query': {
      const [before, after] = aroundGap(id, path, MARK);
      const value = shot.raw(name, place === 'query' ? legal : '');
      return { ...request, path: before + value.toString() + after };
    }
  }
}

function aroundGap(id: string, text: string, mark: string): [string, string] {
  const [before, after, ...more] = text.split(mark);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`There is not one gap in ${id}: ${text}`);
  return [before, after];
}
