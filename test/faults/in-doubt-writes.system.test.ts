import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isDatabaseUnavailable } from '../../src/platform/mongo.ts';
import type { Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type OwnServer, ownMongod } from '../support/own-servers.ts';
import { isLongTier } from '../support/scale.ts';
import { verdict } from '../support/verdict.ts';
import {
  COMMIT_FAULTS,
  type Fault,
  LATE,
  REPLY_LOST,
  REQUEST_LOST,
  type Struck,
  TOO_FEW,
  UNDONE_FAULTS,
  WRITE_FAULTS,
} from './in-doubt-faults.ts';
import { ROWS } from './in-doubt-operator-rows.ts';
import { AUDITED, COMMIT, type Prepared, type Row } from './in-doubt-rows.ts';
import { WORKS } from './in-doubt-work.ts';
import { startWorld, type World } from './in-doubt-world.ts';
import { report } from './report.ts';

let mongod: OwnServer;
let world: World;
let beganAt = 0;
beforeAll(async () => {
  beganAt = performance.now();
  mongod = await ownMongod();
  await mongod.start();
  world = await startWorld(mongod.uri);
});
afterAll(async () => {
  await world.stop();
  await mongod.discard();
});

/** The driver repeats a failed command once, so a fault must strike twice to be seen. */
const TWICE = 2;

const FAULTS = { 'single write': WRITE_FAULTS, commit: COMMIT_FAULTS, transaction: UNDONE_FAULTS, read: UNDONE_FAULTS };

/**
 * In full, every fault at every place of every row. In short, one fault at each place in turn; for bulk writes also
 * `TOO_FEW`, which the driver reports differently.
 */
function everyCase<T extends { struck: readonly Struck[] }>(rows: readonly T[], nameOf: (row: T) => string) {
  const places = rows.flatMap((row) => row.struck.map((struck) => ({ row, struck })));
  return places.flatMap(({ row, struck }, index) => {
    const faults = FAULTS[struck.of];
    const isBulk = struck.of === 'single write' && ['insert', 'update'].includes(struck.command);
    const inTurn = faults.filter((fault, at) => at === index % faults.length || (isBulk && fault === TOO_FEW));
    const { command, collection = 'the transaction' } = struck;
    return (isLongTier ? faults : inTurn).map((fault) => ({
      row,
      struck,
      fault,
      name: `${nameOf(row)}: ${command} of ${collection} is ${fault.name}`,
    }));
  });
}

async function struckBy<T>(fault: Fault, struck: Struck, times: number, run: () => Promise<T>): Promise<T> {
  const end = await fault.strike(world, struck, times);
  const [outcome] = await Promise.allSettled([run()]);
  if ((await end()) === 0) throw new Error('The fault struck nothing');
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** False for a success, true for a 503 with `Retry-After`; throws at any other response. */
function isInDoubt(reply: Reply, { works }: Row): boolean {
  const answer = verdict(reply);
  if (answer === works) return false;
  expect(answer).toBe('503 SERVICE_UNAVAILABLE');
  expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  return true;
}

/** Whether the call has had its effect; throws if only a part. */
async function isDone(row: Row, { effects }: Prepared): Promise<boolean> {
  const left = await effects();
  const done = JSON.stringify(left) !== JSON.stringify(row.before);
  expect(left).toEqual(done ? row.once : row.before);
  return done;
}

/** Repeats the call twice; expects one effect and the matching responses. */
async function expectOnce(row: Row, { call, effects }: Prepared, first: Reply, wasDone: boolean): Promise<void> {
  const again = await call();
  expect(verdict(again)).toBe((wasDone ? row.again?.answers : undefined) ?? row.works);
  expect(await effects()).toEqual((wasDone ? row.again?.effects : undefined) ?? row.once);
  if (row.repeats === 'own') return;
  const third = await call();
  expect([third.status, third.text]).toEqual([again.status, again.text]);
  if (first.status < 500) expect(again.text).toBe(first.text);
  if (row.repeats === 'replay') {
    expect(again.headers.get('idempotent-replayed')).toBe(wasDone ? 'true' : null);
    expect(third.headers.get('idempotent-replayed')).toBe('true');
  }
  expect(await effects()).toEqual(row.once);
}

/** Returns `first`, then makes the call. */
function firstOf(first: Reply, call: () => Promise<Reply>): () => Promise<Reply> {
  const waiting = [first];
  return () => Promise.resolve(waiting.pop() ?? call());
}

const CALLS = everyCase(ROWS, (row) => row.call);
const WORK = everyCase(WORKS, (row) => row.work);
const found = { triedCalls: 0, calls: 0, inDoubt: 0, done: 0, triedWork: 0, work: 0, failed: 0 };

describe('a call whose write is in doubt is 503, and works once when it is repeated', () => {
  test.each(CALLS)('$name', async ({ row, struck, fault }) => {
    found.triedCalls += 1;
    const prepared = await row.prepare(world);
    expect(await prepared.effects()).toEqual(row.before);

    const first = await struckBy(fault, struck, TWICE, prepared.call);
    const wasInDoubt = isInDoubt(first, row);
    const wasDone = await isDone(row, prepared);

    // The service itself retries transactions; the caller repeats everything else.
    expect(wasInDoubt).toBe(struck.of === 'single write' || struck.of === 'read');
    if (
      struck.of === 'single write' &&
      struck !== AUDITED &&
      (struck.command === 'findAndModify' || struck.collection === 'reservations')
    )
      expect(wasDone).toBe(fault.isApplied);
    await expectOnce(row, prepared, first, wasDone);
    found.calls += 1;
    found.inDoubt += Number(wasInDoubt);
    found.done += Number(wasInDoubt && wasDone);
  });
});

describe('work whose write is in doubt is done once in the end', () => {
  test.each(WORK)('$name', async ({ row, struck, fault }) => {
    found.triedWork += 1;
    const { run, effects, end } = await row.prepare(world);
    expect(await effects()).toEqual(row.before);

    const failure = await struckBy(fault, struck, TWICE, run).then(
      () => undefined,
      (err: Error) => err,
    );
    expect(isDatabaseUnavailable(failure) ? undefined : failure?.message).toBeUndefined();
    await eventually('the work is done', async () => {
      await run();
      return JSON.stringify(await effects()) === JSON.stringify(row.once);
    });
    await run();
    expect(await effects()).toEqual(row.once);
    await end?.();
    found.work += 1;
    found.failed += Number(failure !== undefined);
  });
});

describe('a transaction whose commit is never acknowledged', () => {
  const rows = ROWS.filter(({ struck }) => struck.includes(COMMIT));
  test.each(isLongTier ? [REPLY_LOST, LATE, REQUEST_LOST] : [REPLY_LOST])(
    'for it is $name, is 503 after 10 s, and made again works once',
    async (fault) => {
      const prepared: Prepared[] = [];
      for (const row of rows) prepared.push(await row.prepare(world));
      const startedAt = performance.now();
      const replies = await struckBy(fault, COMMIT, Number.POSITIVE_INFINITY, () =>
        Promise.all(prepared.map(({ call }) => call())),
      );
      expect(performance.now() - startedAt).toBeGreaterThan(9500);

      found.triedCalls += rows.length;
      for (const [index, row] of rows.entries()) {
        const [own, reply] = [prepared[index], replies[index]] as [Prepared, Reply];
        expect([row.call, isInDoubt(reply, row)]).toEqual([row.call, true]);
        let wasDone = await isDone(row, own);
        // MongoDB may still have the transaction of a lost connection open, and then rejects conflicting writes.
        const again = await eventually(`${row.call} is answered`, async () => {
          const answer = await own.call();
          return answer.status === 503 ? undefined : answer;
        });
        // A commit whose requests are lost may still take effect after its call got 503.
        if (fault === REQUEST_LOST && again.headers.get('idempotent-replayed') === 'true') wasDone = true;
        await expectOnce(row, { ...own, call: firstOf(again, own.call) }, reply, wasDone);
        found.calls += 1;
        found.inDoubt += 1;
        found.done += Number(wasDone);
      }
    },
  );
});

test('control: if the service forgets the key, the repeated call has its effect twice', async () => {
  const row = ROWS.find(({ call }) => call === 'a package purchase') as Row;
  const prepared = await row.prepare(world);
  const first = await struckBy(REPLY_LOST, row.struck[0] as Struck, TWICE, prepared.call);
  const wasDone = await isDone(row, prepared);
  expect([isInDoubt(first, row), wasDone]).toEqual([true, true]);
  const purchases = world.service.context.db.collection('package_purchases');
  const newest = await purchases.findOne({}, { sort: { _id: -1 }, readConcern: { level: 'local' } });
  await purchases.updateOne({ _id: newest?._id as never }, { $set: { purchaseKey: 'forgotten' } });

  await expect(expectOnce(row, prepared, first, wasDone)).rejects.toThrow('Expected');
  expect(await prepared.effects()).toBe(2);
});

afterAll(() => {
  report({
    promise: 5,
    experiment: 'calls whose request or reply is lost, or which MongoDB rejects or does not acknowledge',
    count: `${found.calls} calls, ${found.inDoubt} answered 503, ${found.done} of these had been done`,
    result: `${found.triedCalls - found.calls} with an effect twice or another answer`,
    beganAt,
  });
  report({
    promise: 5,
    experiment: 'workers whose writes are lost, rejected or not acknowledged',
    count: `${found.triedWork} runs, ${found.failed} of which failed`,
    result: `${found.triedWork - found.work} with an effect lost or twice`,
    beganAt,
  });
});
