import { afterAll, describe, expect, test } from '@jest/globals';
import { scaled } from '../support/scale.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Injection from './injection.in-host.ts';
import { attack, sendAs } from './injection-attack.ts';
import { injectedInto, PAYLOAD_COUNT, SHOTS } from './injection-payloads.ts';
import { INJECTION, injectionScene } from './injection-scene.ts';
import { type Input, legalRequest } from './injection-template.ts';

/** Enough for every payload in every input; the short form takes seconds. */
const FULL_DEADLINE_MS = 1_800_000;

const service = await hostedService({
  overrides: { RATE_LIMIT_PER_MINUTE: '0', MONGODB_URI: monitoredUri() },
});
const inHost = service.inHost<typeof Injection>(INJECTION);
afterAll(() => service.stop());
const membersBefore = await inHost.membersOfPrototypes();
await inHost.watchCommands();
const targets = await injectionScene(service);

const isReading = ({ method }: Input) => method === 'GET';
const idsOf = (inputs: readonly Input[]) => inputs.map(({ id }) => id).toSorted();

/** Every shot of every place: `field: NUL`. */
const allShots = Object.entries(SHOTS).flatMap(([place, shots]) => shots.map(({ name }) => `${place}: ${name}`));

test('control: every route accepts its legal call', async () => {
  const all: string[] = [];
  for (const target of targets) {
    const answers = (await target.legalCalls()).map(async ({ id, template }) => {
      const reply = await sendAs(target, legalRequest(template));
      return `${reply.status} ${id}: ${reply.text.slice(0, 200)}`;
    });
    all.push(...(await Promise.all(answers)));
  }
  expect(all.filter((answer) => !/^(2|409 |404 )/.test(answer))).toEqual([]);
  expect(all.filter((answer) => answer.startsWith('2')).length).toBeGreaterThan(all.length * 0.85);
});

test('in every list field, a list of 30,000 items is rejected with one fault', async () => {
  const wide = SHOTS.field.filter(({ name }) => name === 'a list of 30,000 numbers');
  expect(wide).toHaveLength(1);
  for (const target of targets) {
    const lists = target.inputs.filter(({ place, isScalar }) => place === 'field' && !isScalar);
    expect(lists.length).toBeGreaterThan(0);
    const { faults, inputs } = await attack(target, lists, () => wide);
    expect([faults, inputs.size]).toEqual([[], lists.length]);
  }
});

test(
  `${PAYLOAD_COUNT} payloads in every input of every route are rejected as documented, or accepted as plain text`,
  async () => {
    const inputs = targets.map((target) => target.inputs);
    const found = [];
    // Reads first: the number of their rows must not change.
    for (const reads of [true, false]) {
      for (const [index, target] of targets.entries()) {
        const tested = (inputs[index] ?? []).filter((input) => isReading(input) === reads);
        found.push(await attack(target, tested));
      }
    }

    expect(found.flatMap(({ faults }) => faults)).toEqual([]);
    expect(found.flatMap((each) => [...each.inputs]).toSorted()).toEqual(inputs.flatMap(idsOf).toSorted());
    expect([...new Set(found.flatMap((each) => [...each.shots]))].toSorted()).toEqual(allShots.toSorted());
    expect(PAYLOAD_COUNT).toBeGreaterThanOrEqual(40);
    const sentCount = found.reduce((sum, each) => sum + each.sentCount, 0);
    const crossProduct = inputs.flat().reduce((sum, { place }) => sum + SHOTS[place].length, 0);
    expect(sentCount).toBeGreaterThanOrEqual(scaled(crossProduct, 400));
    if (sentCount === crossProduct)
      process.stdout.write(`${sentCount} hostile requests: every payload in each of ${inputs.flat().length} inputs\n`);
  },
  FULL_DEADLINE_MS,
);

describe('after the payloads', () => {
  test('no prototype has a new member', async () => {
    expect(await inHost.membersOfPrototypes()).toEqual(membersBefore);
  });

  test('no database command or document has an operator or a member from a payload', async () => {
    expect(await inHost.injectedCommands()).toEqual([]);
    expect(await injectedDocuments()).toEqual([]);
  });

  test('control: a command or document with a payload as an operator is found', async () => {
    await inHost.plantInjection();
    expect(await inHost.injectedCommands()).toContain('/filter/customer.name/$ne');
    expect(await injectedDocuments()).toEqual(['planted/name/$ne']);
  });

  test('all lines of the log are JSON, none is forged, and none is an error', async () => {
    const lines = (await service.logs()).trimEnd().split('\n');
    const logged = lines.map((line) => JSON.parse(line) as { level: number | string; msg: string });
    expect(logged.filter(({ msg }) => msg === 'forged')).toEqual([]);
    expect(logged.filter(({ level }) => level === 50 || level === 'error')).toEqual([]);
    expect(logged.length).toBeGreaterThan(700);
  });
});

/** Stored documents that contain a payload as an operator. */
async function injectedDocuments(): Promise<string[]> {
  const { db } = service.context;
  const names = (await db.db?.listCollections().toArray())?.map(({ name }) => name) ?? [];
  expect(names.length).toBeGreaterThan(10);
  const found = names.map(async (name) => {
    const documents = await db.collection(name).find({}).toArray();
    return documents.flatMap((document) => injectedInto(document, name));
  });
  return (await Promise.all(found)).flat();
}
