import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type mongoose from 'mongoose';
import { scaled } from '../support/scale.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';
import { attack, sendAs } from './injection-attack.ts';
import type { Input } from './injection-inputs.ts';
import { inputsOf, requestFor } from './injection-inputs.ts';
import { faultOf, injectedInto } from './injection-judge.ts';
import { OPERATORS, PAYLOAD_COUNT, SHOTS } from './injection-payloads.ts';
import type { Target } from './injection-scene.ts';
import { injectionScene } from './injection-scene.ts';
import { createSender } from './injection-sender.ts';

/** For every payload in every input; the short form takes seconds. */
const FULL_DEADLINE_MS = 1_800_000;

/** What this run of the service asked the database in which a payload is an operator. */
const injectedCommands: string[] = [];
let service: Service;
let targets: Target[];
const sender = createSender();

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const membersOfPrototypes = () => prototypes.map((each) => Reflect.ownKeys(each).map(String));
const membersBefore = membersOfPrototypes();

beforeAll(async () => {
  const { MONGODB_URI = '' } = serviceEnvironment(freshName());
  const uri = new URL(MONGODB_URI);
  uri.searchParams.set('monitorCommands', 'true');
  service = await startService({ RATE_LIMIT_PER_MINUTE: '0', MONGODB_URI: uri.toString() });
  service.context.db.getClient().on('commandStarted', ({ command }: mongoose.mongo.CommandStartedEvent) => {
    injectedCommands.push(...injectedInto(command));
  });
  targets = await injectionScene(service);
});
afterAll(async () => {
  sender.close();
  await service.stop();
});

const isReading = ({ route }: Input) => route.method === 'get';
const idsOf = (inputs: readonly Input[]) => inputs.map(({ id }) => id).toSorted();

/** Every shot of every place: `field: NUL`. */
const allShots = Object.entries(SHOTS).flatMap(([place, shots]) =>
  shots.map(({ name }) => `${place}: ${name}`),
);

test('every route takes its legal call: what a payload meets is what it stands in the place of', async () => {
  const answers = targets.flatMap((target) =>
    target.routes.map(async (route, index) => {
      const legal = { id: '', place: 'body', name: '', route, index: 0, isScalar: true } as const;
      const reply = await sendAs(sender, target, requestFor(legal, undefined, target.known, index));
      return `${reply.status} ${route.method} ${route.path}: ${reply.text.slice(0, 200)}`;
    }),
  );
  const all = await Promise.all(answers);
  expect(all.filter((answer) => !/^(2|409 |404 )/.test(answer))).toEqual([]);
  expect(all.filter((answer) => answer.startsWith('2')).length).toBeGreaterThan(all.length * 0.85);
});

test('a list of tens of thousands is one fault of the list, wherever a list belongs', async () => {
  const [wide] = SHOTS.field.filter(({ name }) => name === '30,000 numbers beside each other');
  if (wide === undefined) throw new Error('There is no such payload');
  for (const target of targets) {
    const lists = inputsOf(target.routes).filter(({ place, isScalar }) => place === 'field' && !isScalar);
    expect(lists.length).toBeGreaterThan(0);
    for (const [turn, input] of lists.entries()) {
      const request = requestFor(input, wide, target.known, turn);
      const reply = await sendAs(sender, target, request);
      expect([input.id, faultOf(input, wide, request.path, reply)]).toEqual([input.id, undefined]);
    }
  }
});

test(
  `${PAYLOAD_COUNT} payloads in every input of every route: refused as documented, or taken as the text that they are`,
  async () => {
    const inputs = targets.map((target) => inputsOf(target.routes));
    const known = structuredClone(targets.map((target) => target.known));
    const found = [];
    // Those that read go first: how many rows they show stays the same.
    for (const reads of [true, false]) {
      for (const [index, target] of targets.entries()) {
        const asked = (inputs[index] ?? []).filter((input) => isReading(input) === reads);
        found.push(await attack(sender, target, asked));
      }
    }

    expect(found.flatMap(({ faults }) => faults)).toEqual([]);
    // What is legal has stayed so: each payload but the one under test is.
    expect(targets.map((target) => target.known)).toEqual(known);
    expect(found.flatMap((each) => [...each.inputs]).toSorted()).toEqual(inputs.flatMap(idsOf).toSorted());
    expect([...new Set(found.flatMap((each) => [...each.shots]))].toSorted()).toEqual(allShots.toSorted());
    expect(PAYLOAD_COUNT).toBeGreaterThanOrEqual(40);
    const sent = found.reduce((sum, each) => sum + each.sent, 0);
    const crossProduct = inputs.flat().reduce((sum, { place }) => sum + SHOTS[place].length, 0);
    expect(sent).toBeGreaterThanOrEqual(scaled(crossProduct, 400));
    if (sent === crossProduct)
      process.stdout.write(
        `${sent} hostile requests: every payload in each of ${inputs.flat().length} inputs\n`,
      );
  },
  FULL_DEADLINE_MS,
);

describe('what the payloads leave behind', () => {
  test('no prototype has another member', () => {
    expect(membersOfPrototypes()).toEqual(membersBefore);
  });

  test('neither a command to the database nor a document in it has an operator or a member of theirs', async () => {
    expect([...new Set(injectedCommands)]).toEqual([]);
    expect(await injectedDocuments()).toEqual([]);
  });

  test('control: a command in which one of them is an operator is seen, and so is a document', async () => {
    const name = { $ne: OPERATORS['$ne'] };
    const planted = service.context.db.collection('planted');
    await planted.findOne({ 'customer.name': name });
    await planted.insertOne({ name });
    expect(injectedCommands).toContain('/filter/customer.name/$ne');
    expect(await injectedDocuments()).toEqual(['planted/name/$ne']);
  });

  test('the log has a line of JSON for each thing that happened, none of them forged, and no error', () => {
    const lines = service.logs().trimEnd().split('\n');
    const logged = lines.map((line) => JSON.parse(line) as { level: number | string; msg: string });
    expect(logged.filter(({ msg }) => msg === 'forged')).toEqual([]);
    expect(logged.filter(({ level }) => level === 50 || level === 'error')).toEqual([]);
    expect(logged.length).toBeGreaterThan(700);
  });
});

async function injectedDocuments(): Promise<string[]> {
  const { db } = service.context.db;
  const names = (await db?.listCollections().toArray())?.map(({ name }) => name) ?? [];
  const found = names.map(async (name) => {
    const documents = await service.context.db.collection(name).find({}).toArray();
    return documents.flatMap((document) => injectedInto(document, name));
  });
  expect(names.length).toBeGreaterThan(10);
  return (await Promise.all(found)).flat();
}
