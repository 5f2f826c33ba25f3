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
  type FaultPoint,
  LATE,
  REPLY_LOST,
  REQUEST_LOST,
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

/** The driver repeats a failed command once, so the service sees a fault only if it strikes twice. */
const TWICE = 2;

const FAULTS = { 'single write': WRITE_FAULTS, commit: COMMIT_FAULTS, transaction: UNDONE_FAULTS, read: UNDONE_FAULTS };

/**
 * In the long tier, every fault at every fault point. In the short tier, one fault at each, in turn, and for bulk
 * writes also `TOO_FEW`, which the driver reports differently.
 */
function everyCase<T extends { faultPoints: readonly FaultPoint[] }>(rows: readonly T[], nameOf: (row: T) => string) {
  const points = rows.flatMap((row) => row.faultPoints.map((faultPoint) => ({ row, faultPoint })));
  return points.flatMap(({ row, faultPoint }, index) => {
    const faults = FAULTS[faultPoint.kind];
    const isBulk = faultPoint.kind === 'single write' && ['insert', 'update'].includes(faultPoint.command);
    const inTurn = faults.filter((fault, at) => at === index % faults.length || (isBulk && fault === TOO_FEW));
    const { command, collection = 'the transaction' } = faultPoint;
    return (isLongTier ? faults : inTurn).map((fault) => ({
      row,
      faultPoint,
      fault,
      name: `${nameOf(row)}: ${command} of ${collection}: ${fault.name}`,
    }));
  });
}

async function struckBy<T>(fault: Fault, faultPoint: FaultPoint, times: number, run: () => Promise<T>): Promise<T> {
  const end = await fault.strike(world, faultPoint, times);
  const [outcome] = await Promise.allSettled([run()]);
  if ((await end()) === 0) throw new Error('The fault struck nothing');
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** False for a success, true for a 503 with `Retry-After`; throws at any other response. */
function isInDoubt(reply: Reply, { success }: Row): boolean {
  const answer = verdict(reply);
  if (answer === success) return false;
  expect(answer).toBe('503 SERVICE_UNAVAILABLE');
  expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  return true;
}

/** Whether the call has had its effect; throws if it has had only a part of it. */
async function isDone(row: Row, { effects }: Prepared): Promise<boolean> {
  const current = await effects();
  const done = JSON.stringify(current) !== JSON.stringify(row.before);
  expect(current).toEqual(done ? row.after : row.before);
  return done;
}

/** Repeats the call twice; expects one effect and the matching responses. */
async function expectOnce(row: Row, { call, effects }: Prepared, first: Reply, wasDone: boolean): Promise<void> {
  const again = await call();
  expect(verdict(again)).toBe((wasDone ? row.secondCall?.answers : undefined) ?? row.success);
  expect(await effects()).toEqual((wasDone ? row.secondCall?.effects : undefined) ?? row.after);
  if (row.repeatReturns === 'own') return;
  const third = await call();
  expect([third.status, third.text]).toEqual([again.status, again.text]);
  if (first.status < 500) expect(again.text).toBe(first.text);
  if (row.repeatReturns === 'replay') {
    expect(again.headers.get('idempotent-replayed')).toBe(wasDone ? 'true' : null);
    expect(third.headers.get('idempotent-replayed')).toBe('true');
  }
  expect(await effects()).toEqual(row.after);
}

/** A call that returns `first` the first time, and calls `call` afterwards. */
function startingWith(first: Reply, call: () => Promise<Reply>): () => Promise<Reply> {
  const unread = [first];
  return () => Promise.resolve(unread.pop() ?? call());
}

const CALLS = everyCase(ROWS, (row) => row.call);
const WORK = everyCase(WORKS, (row) => row.work);
const counts = { triedCalls: 0, calls: 0, inDoubt: 0, done: 0, triedWork: 0, work: 0, failed: 0 };

describe('a call whose write is in doubt is 503, and takes effect once when it is repeated', () => {
  test.each(CALLS)('$name', async ({ row, faultPoint, fault }) => {
    counts.triedCalls += 1;
    const prepared = await row.prepare(world);
    expect(await prepared.effects()).toEqual(row.before);

    const first = await struckBy(fault, faultPoint, TWICE, prepared.call);
    const wasInDoubt = isInDoubt(first, row);
    const wasDone = await isDone(row, prepared);

    // The service itself retries transactions; the caller repeats everything else.
    expect(wasInDoubt).toBe(faultPoint.kind === 'single write' || faultPoint.kind === 'read');
    if (
      faultPoint.kind === 'single write' &&
      faultPoint !== AUDITED &&
      (faultPoint.command === 'findAndModify' || faultPoint.collection === 'reservations')
    )
      expect(wasDone).toBe(fault.isApplied);
    await expectOnce(row, prepared, first, wasDone);
    counts.calls += 1;
    counts.inDoubt += Number(wasInDoubt);
    counts.done += Number(wasInDoubt && wasDone);
  });
});

describe('work whose write is in doubt takes effect once when it is repeated', () => {
  test.each(WORK)('$name', async ({ row, faultPoint, fault }) => {
    counts.triedWork += 1;
    const { run, effects, end } = await row.prepare(world);
    expect(await effects()).toEqual(row.before);

    const failure = await struckBy(fault, faultPoint, TWICE, run).then(
      () => undefined,
      (err: Error) => err,
    );
    expect(isDatabaseUnavailable(failure) ? undefined : failure?.message).toBeUndefined();
    await eventually('the work is done', async () => {
      await run();
      return JSON.stringify(await effects()) === JSON.stringify(row.after);
    });
    await run();
    expect(await effects()).toEqual(row.after);
    await end?.();
    counts.work += 1;
    counts.failed += Number(failure !== undefined);
  });
});

describe('a transaction whose commit is never acknowledged', () => {
  const rows = ROWS.filter(({ faultPoints }) => faultPoints.includes(COMMIT));
  test.each(isLongTier ? [REPLY_LOST, LATE, REQUEST_LOST] : [REPLY_LOST])(
    '($name) is 503 after 10 s, and takes effect once when its call is repeated',
    async (fault) => {
      const prepared: Prepared[] = [];
      for (const row of rows) prepared.push(await row.prepare(world));
      const startedAt = performance.now();
      const replies = await struckBy(fault, COMMIT, Number.POSITIVE_INFINITY, () =>
        Promise.all(prepared.map(({ call }) => call())),
      );
      expect(performance.now() - startedAt).toBeGreaterThan(9500);

      counts.triedCalls += rows.length;
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
        await expectOnce(row, { ...own, call: startingWith(again, own.call) }, reply, wasDone);
        counts.calls += 1;
        counts.inDoubt += 1;
        counts.done += Number(wasDone);
      }
    },
  );
});

test('control: if the service forgets the idempotency key, the repeated call has its effect twice', async () => {
  const row = ROWS.find(({ call }) => call === 'a package purchase') as Row;
  const prepared = await row.prepare(world);
  const first = await struckBy(REPLY_LOST, row.faultPoints[0] as FaultPoint, TWICE, prepared.call);
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
    count: `${counts.calls} calls, ${counts.inDoubt} responses 503, ${counts.done} of these had taken effect`,
    result: `${counts.triedCalls - counts.calls} calls with two effects or another response`,
    beganAt,
  });
  report({
    promise: 5,
    experiment: 'workers whose writes are lost, rejected or not acknowledged',
    count: `${counts.triedWork} runs, ${counts.failed} failed`,
    result: `${counts.triedWork - counts.work} runs with an effect that was lost or happened twice`,
    beganAt,
  });
});
