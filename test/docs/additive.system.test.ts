import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type BreakingChange, breakingChanges } from '../../scripts/oasdiff.ts';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { webhooksOf } from '../../src/http/openapi/webhooks.ts';
import { projectFolder } from '../architecture/planted-tree.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { reasonToSkip } from './programs.ts';

const BUILD_TIMEOUT_MS = 600_000;
const releases = path.join(projectFolder, 'docs/releases');
const [lastRelease = ''] = readdirSync(releases)
  .filter((name) => name.startsWith('openapi.partner.'))
  .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
const today = path.join(projectFolder, 'docs/openapi.partner.json');

/** Harmless changes since the last release that the comparison reports. Emptied with each release. */
const ACCEPTED: readonly {
  id: string;
  isHarmless: (found: BreakingChange) => boolean;
  why: string;
}[] = [
  {
    id: 'response-property-became-not-enum',
    isHarmless: ({ path: route, text }) =>
      /`(?:.*\/)?(?:error\/code|error\/conflict\/reason|event_type|event_types\/items|unavailable_reason)`/.test(
        text,
      ) ||
      // Only the operator's probes read /readyz, not partners.
      (route === '/readyz' && text.includes('`redis`')) ||
      (/^\/api\/v1\/partner\/venues(?:\/\{venueId\})?$/.test(route) && /`(?:data\/items\/)?status`/.test(text)),
    why: 'lists of values that may grow were described as closed, against docs/guides/versioning.md',
  },
  {
    id: 'response-property-pattern-changed',
    isHarmless: ({ text }) => text.includes('`secret_key`'),
    why: 'a secret is opaque; new ones are in standard base64, which libraries for Standard Webhooks need',
  },
  {
    id: 'request-property-became-enum',
    isHarmless: ({ text }) => text.includes('`use_package_credit`'),
    why: 'both booleans stay accepted; "required" is new',
  },
  {
    id: 'request-body-any-of-removed',
    isHarmless: () => true,
    why: 'the description now says in words which fields need each other',
  },
  {
    id: 'request-property-pattern-changed',
    isHarmless: ({ text }) => text.includes('([.][0-9]{1,3})?') && text.includes('([.][0-9]{1,9})?'),
    why: 'instants may have more than three digits of a second; all earlier forms stay accepted',
  },
  {
    id: 'response-property-became-not-enum',
    isHarmless: ({ text }) => /`(?:.*\/)?(?:success|details\/test|package_credit_consumed|window_hours)`/.test(text),
    why: 'the description now says in words that the value is fixed: generators make no type of such an enum',
  },
  {
    id: 'response-property-pattern-removed',
    isHarmless: ({ text }) => text.includes('\\p{Cc}'),
    why: 'patterns that not every language can read are now in words',
  },
  ...['request-parameter-type-changed', 'request-property-type-changed'].map((id) => ({
    id,
    isHarmless: ({ text }: BreakingChange) =>
      text.includes('`format` was changed from `none` to `uuid`') ||
      text.includes('`format` changed from `none` to `uuid`'),
    why: 'an id now has one type in requests and responses; text of another form never was an id',
  })),
  ...['request-property-type-changed', 'request-property-min-length-set'].map((id) => ({
    id,
    isHarmless: ({ path: route, text }: BreakingChange) =>
      route.startsWith('webhook:hold_') && text.includes('`booking_id`'),
    why: 'a field that is always null here has the type of other events: generators make no type of null alone',
  })),
  ...['response-property-became-nullable', 'response-property-became-optional'].map((id) => ({
    id,
    isHarmless: ({ text }: BreakingChange) =>
      /`(?:.*\/)?(?:slot_id|hold_id|details\/(?:resource_id|slot_start|slot_end))`/.test(text) &&
      /data\/items|payload/.test(text),
    why: 'the feed has events of a new type without a slot; events of the known types are unchanged',
  })),
  {
    id: 'new-required-request-parameter',
    isHarmless: ({ path: route, text }) => route.startsWith('webhook:') && text.includes('`webhook-'),
    why: 'the service sends these headers; receivers need not read them',
  },
];

const textOf = ({ id, operation, path: route, text }: BreakingChange) => `${id}: ${operation} ${route}: ${text}`;

async function breaks(base: string, revision: string): Promise<string[]> {
  const document = JSON.parse(readFileSync(revision, 'utf8')) as Node;
  const compared = path.join(await temporaryFolder(), 'revision.json');
  // The base describes webhooks, so the comparison covers what they send.
  const webhooks = webhooksOf(document as unknown as OpenApiDocument);
  await writeFile(compared, JSON.stringify({ ...document, webhooks }));
  const found = await breakingChanges(base, compared, process.env);
  return found.filter((each) => !ACCEPTED.some(({ id, isHarmless }) => id === each.id && isHarmless(each))).map(textOf);
}

type Node = { [key: string]: Node };
type Responses = Record<string, { $ref?: string; content?: { 'application/json'?: { examples?: Node } } }>;
type Description = { paths: Record<string, Record<string, { responses: Responses }>>; components: Node };

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Description;

/** Each error that the description lists for each call, such as `POST /api/v1/partner/holds 409 SLOT_NOT_AVAILABLE`. */
function documentedErrors({ paths, components }: Description): string[] {
  return Object.entries(paths).flatMap(([route, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const shared = components['responses'] as unknown as Responses;
        const { content } = shared[response.$ref?.split('/').at(-1) ?? ''] ?? response;
        const codes = Number(status) < 400 ? {} : (content?.['application/json']?.examples ?? {});
        return Object.keys(codes).map((code) => `${method.toUpperCase()} ${route} ${status} ${code}`);
      }),
    ),
  );
}

const skipped = process.env['CI'] === undefined ? await reasonToSkip({ go: 'version' }) : '';

(skipped === '' ? describe : describe.skip)(`the interface since ${lastRelease}${skipped}`, () => {
  test(
    'has only grown',
    async () => {
      expect(await breaks(path.join(releases, lastRelease), today)).toEqual([]);
    },
    BUILD_TIMEOUT_MS,
  );

  test('still lists every documented error of every call', () => {
    const listed = documentedErrors(read(path.join(releases, lastRelease)));
    const kept = new Set(documentedErrors(read(today)));
    expect(listed.length).toBeGreaterThan(300);
    expect(listed.filter((each) => !kept.has(each))).toEqual([]);
  });

  test('control: a removed operation, response field or webhook field is named', async () => {
    const document = JSON.parse(readFileSync(today, 'utf8')) as Node;
    delete document['paths']?.['/api/v1/packages'];
    const schemas = document['components']?.['schemas'];
    removeField(schemas?.['Slot'], 'price_rupees');
    removeField(schemas?.['HoldCreatedDelivery'], 'venue_id');
    const file = path.join(await temporaryFolder(), 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const found = (await breaks(path.join(releases, lastRelease), file)).join('\n');
    for (const name of [
      'api-path-removed-without-deprecation: GET /api/v1/packages',
      'response-required-property-removed: GET /api/v1/slots/availability',
      'request-property-removed: POST webhook:hold_created: removed the request property `venue_id`',
    ])
      expect(found).toContain(name);
  });
});

function removeField(schema: Node | undefined, name: string): void {
  if (schema === undefined) return;
  delete schema['properties']?.[name];
  const required = (schema['required'] ?? []) as unknown as string[];
  Object.assign(schema, { required: required.filter((each) => each !== name) });
}
