import { afterAll, describe, expect, test } from '@jest/globals';
import { COLUMNS, NOUNS } from '../../src/cli/commands.ts';
import { exampleParts, OPERATIONS, type Operation } from '../../src/cli/description.ts';
import { publishedDescription } from '../support/published-description.ts';
import { sharedService } from '../support/service-host.ts';
import { operator } from './operator.ts';
import { startRelay } from './relay.ts';

const service = sharedService();
const relay = await startRelay(service.adminUrl, () => 'refuse', true);
afterAll(async () => {
  await relay.close();
  await service.stop();
});

const operations = Object.values(publishedDescription('operator').paths).flatMap((methods) => Object.values(methods));
const operationIds = operations.map((described) => String(described['operationId']));
const commands = Object.entries(NOUNS).flatMap(([noun, { verbs }]) =>
  Object.entries(verbs).map(([verb, operationId]) => ({ noun, verb, operationId, name: `${noun} ${verb}` })),
);

function operationOf(operationId: string): Operation {
  const operation = OPERATIONS.get(operationId);
  if (operation === undefined) throw new Error(`There is no operation ${operationId}`);
  return operation;
}

describe('the commands and the operations of the operator interface', () => {
  test('match one to one', () => {
    expect(commands.map(({ operationId }) => operationId).toSorted()).toEqual(operationIds.toSorted());
  });

  test('no field has the name of a general option', () => {
    const options = ['url', 'key', 'key_file', 'json', 'body', 'all', 'help', 'dry_run'];
    const fields = [...OPERATIONS.values()].flatMap(({ query, body }) => [...query, ...body].map(({ name }) => name));
    expect(fields.length).toBeGreaterThan(50);
    expect(fields.filter((name) => options.includes(name))).toEqual([]);
  });

  test('each listing has the columns of its table, and each is a field of the response', () => {
    const listings = operationIds.filter((id) => /^(list|getTimeline)/.test(id));
    expect(Object.keys(COLUMNS).toSorted()).toEqual(listings.toSorted());
    for (const described of operations) {
      const columns = COLUMNS[String(described['operationId'])];
      if (columns === undefined) continue;
      const { example } = (described['responses'] as Responses)[200].content['application/json'];
      expect(Object.keys(example.data[0] ?? {})).toEqual(expect.arrayContaining(columns.split(' ')));
    }
  });
});

type Responses = { 200: { content: { 'application/json': { example: { data: object[] } } } } };

describe('the example of each command', () => {
  /** The example's fields that a command line sends: not the keys that it generates, nor empty values. */
  function sentByExample({ example, body }: Operation): Record<string, unknown> {
    const isSent = ([name, value]: [string, unknown]) =>
      name !== 'idempotency_key' && value !== null && JSON.stringify(value) !== '[]';
    const fields = body.map(({ name }) => name);
    return Object.fromEntries(Object.entries(example).filter((entry) => fields.includes(entry[0]) && isSent(entry)));
  }

  const changes = commands.filter(({ operationId }) => operationOf(operationId).method !== 'GET');
  test.each(changes)('$name makes the call that the description shows', async ({ noun, verb, operationId }) => {
    const operation = operationOf(operationId);
    const { code, err } = await operator(relay.url, exampleParts(noun, verb, operation).flat());
    // The relay rejects every write; the test checks only what was sent.
    expect([code, err]).toEqual([1, expect.stringContaining('The database is away.')]);
    const { method, path, body } = relay.writes.at(-1) ?? {};
    const filled = operation.params.reduce(
      (text, { name, example }) => text.replace(`{${name}}`, example),
      operation.path,
    );
    expect([method, path]).toEqual([operation.method, filled]);
    const sent = (body ?? {}) as Record<string, unknown>;
    if (operation.body.some(({ name }) => name === 'idempotency_key')) {
      expect(sent['idempotency_key']).toMatch(/^operator-[0-9a-f-]{36}$/);
      delete sent['idempotency_key'];
    }
    expect(sent).toEqual(sentByExample(operation));
  });
});

test.each(commands)('--help of $name has its summary, every parameter and field, and an example', async (row) => {
  const { summary, params, query, body } = operationOf(row.operationId);
  const { code, out: text, err } = await operator('http://127.0.0.1:1', [row.noun, row.verb, '--help']);
  expect([code, err]).toEqual([0, '']);
  expect(text.replaceAll(/\s+/g, ' ')).toContain(summary);
  expect(text).toMatch(new RegExp(`^Example:\\n  npm run operator -- ${row.noun} ${row.verb}`, 'm'));
  for (const { name } of [...query, ...body]) expect(text).toContain(`--${name.replaceAll('_', '-')} `);
  expect(text.match(/^Usage: .*/)?.[0].match(/<[a-z-]+>/g) ?? []).toHaveLength(params.length);
  const [explained = ''] = text.split('Example:');
  expect(explained.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
