import { describe, expect, test } from '@jest/globals';
import type { ObjectSchema } from 'joi';
import { apiDocuments, routeTables } from '../../scripts/docs/documents.ts';
import { exampleOf } from '../../src/http/openapi/json-schema.ts';
import { fieldsOf } from '../../src/http/query-faults.ts';
import type { Operation } from '../../src/http/route.ts';
import { createValidators } from '../support/description-checkers.ts';

type Json = Record<string, unknown>;
type WithBody = { requestBody: { content: { 'application/json': { schema: Json } } } };

const WORDS = `x 06:00 06:03 24:00 +919845012345 asha@example.com asha@example Asia/Kolkata
  0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01 0193A1F4-6C00-7B2A-9D41-5E0C7A3F1B01 0193a1f46c007b2a9d415e0c7a3f1b01
  0193a1f4-6c00-9b2a-9d41-5e0c7a3f1b01 2026-11-21 2026-02-30 2026-11-21T04:30:00.000Z 2026-11-21T04:30Z
  2026-11-21T04:30:00.123456Z 2026-11-21t04:30:00.123456789z 2026-11-21T04:30:00+05:30
  https://partner.example.com/hooks HTTPS://partner.example.com/hooks http://partner.example.com/hooks
  https://a:b@partner.example.com/hooks https://partner.example.com:22/#top active suspended inactive`;
const LENGTHS = [60, 121, 256, 2049];
const TEXTS = [
  ...WORDS.split(/\s+/),
  ...LENGTHS.map((length) => 'x'.repeat(length)),
  ...['', ' ', 'Turf A', 'Ünïcode ⚽ 漢字', 'a\nb', 'a\u0000b', 'a\u0085b', '2026-11-21 04:30:00Z'],
];
const NUMBERS = [0, 1, 4, 5, 59, 60, 63, 65, 600, 1440, 1445, 1800, 1801, 0.29, 12.34, 1200.1, -1, 1e7, 1e8];
const OTHERS = [null, true, false, {}, [], ['hold_created'], ['hold_created', 'hold_created'], ['x'], [1]];
const VALUES: unknown[] = [...TEXTS, ...NUMBERS, ...OTHERS];

/** Fields with rules that only the service can check, so the description allows more values. */
const SAID_IN_PROSE = 'customer_phone time_zone endpoint_url customer_email contact_email since from until'.split(' ');

/** Exactly one of these fields is allowed. The description says it in words: client generators cannot express it. */
const EITHER_OR: Readonly<Record<string, readonly string[]>> = {
  addPriceRule: ['price_rupees', 'multiplier'],
  eraseCustomer: ['customer_phone', 'booking_id'],
  placeHold: ['slot_id', 'resource_ids', 'sport_category'],
  placeWalkIn: ['slot_id', 'sport_category'],
};

/** Text that is blank or has control characters; no pattern expresses that in all languages. */
const isUnseen = (value: unknown): boolean =>
  typeof value === 'string' && (value.trim() === '' || /\p{Cc}/u.test(value));

/** Accepted, though not described: RFC 3339 requires seconds. */
const TOLERATED: unknown[] = ['2026-11-21T04:30Z'];

type Verdict = { field: string; value: unknown; served: boolean; published: boolean };

/** Whether the served and the published schema accept the example body with one field replaced. */
function verdicts({ body }: { body: ObjectSchema }, isValid: (body: Json) => boolean): Verdict[] {
  const example = exampleOf(body) as Json;
  return fieldsOf(body).flatMap((field) =>
    [...VALUES, undefined].map((value) => {
      const sent = JSON.parse(JSON.stringify({ ...example, [field]: value })) as Json;
      const served = body.validate(sent, { convert: false, stripUnknown: true }).error === undefined;
      return { field, value, served, published: isValid(sent) };
    }),
  );
}

const documents = apiDocuments();
const tables = routeTables();
const bodies = (['partner', 'operator'] as const).flatMap((listener) => {
  const validatorOf = createValidators(documents[listener]);
  return tables[listener].flatMap(({ operationId, method, path, body }: Operation) => {
    if (body === undefined) return [];
    const described = documents[listener].paths[path.replace(/:(\w+)/g, '{$1}')]?.[method];
    const schema = (described as WithBody | undefined)?.requestBody.content['application/json'].schema;
    if (schema === undefined) throw new Error(`${operationId} is described without its body`);
    const found = verdicts({ body }, validatorOf(schema));
    const { error } = body.validate(exampleOf(body), { convert: false });
    return [{ name: `${listener} ${operationId}`, operationId, found, faultOfExample: error?.message }];
  });
});

describe.each(bodies)('the body of $name', ({ found, operationId, faultOfExample }) => {
  test('has an example that the service accepts', () => {
    expect(faultOfExample).toBeUndefined();
  });

  test('is published without rules that the service does not have', () => {
    const tooNarrow = found.filter(({ served, published }) => served && !published);
    // The service looks up any other text and does not find the hold.
    const isLookedUp = ({ field, value }: Verdict) => field === 'hold_id' && typeof value === 'string';
    expect(tooNarrow.filter((each) => !TOLERATED.includes(each.value) && !isLookedUp(each))).toEqual([]);
  });

  test('is published with every rule that JSON Schema can express', () => {
    const tooWide = found.filter(({ served, published }) => published && !served);
    const isSaid = ({ field, value }: Verdict) =>
      SAID_IN_PROSE.includes(field) || EITHER_OR[operationId]?.includes(field) === true || isUnseen(value);
    expect(tooWide.filter((each) => !isSaid(each))).toEqual([]);
    expect(found.some(({ served }) => served)).toBe(true);
  });
});

test('the bodies of both listeners are compared', () => {
  expect(bodies.length).toBeGreaterThan(12);
});
