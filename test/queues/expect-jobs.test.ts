import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createLogger } from '../../src/platform/logger.ts';
import { createProgress } from '../../src/platform/progress.ts';
import { createQueues, type Queues } from '../../src/queues/queues.ts';
import { expectJobs } from '../../workers/support/start-worker.ts';
import { eventually } from '../support/eventually.ts';
import { releasing } from '../support/releases.ts';
import { freshName, runSetting } from '../support/service-environment.ts';

const TIMES = { mayWaitMs: 500, everyMs: 50 };
const NAME = 'webhook-delivery';
const afterwards = releasing(afterEach);

let queues: Queues;
/** A worker that takes no job until the test calls `run`. */
let worker: Worker<object, void>;
let stalls: () => string[];
beforeEach(async () => {
  const url = runSetting('TEST_REDIS_URL');
  const prefix = `{${freshName()}}`;
  const log = createLogger('test', 'silent', { write: () => undefined });
  queues = createQueues(url, prefix, log);
  afterwards(() => queues.close());
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  afterwards(async () => connection.disconnect());
  worker = new Worker<object, void>(NAME, async () => undefined, { connection, prefix, autorun: false });
  worker.on('error', () => undefined);
  afterwards(() => worker.close(true));
  const stopping = new AbortController();
  afterwards(async () => stopping.abort());
  const progress = createProgress();
  expectJobs({ progress, stopping: stopping.signal }, queues, NAME, worker, TIMES);
  stalls = () => progress.stalls().map(({ name }) => name);
  await eventually('Redis is there', () => queues.isReady());
});

const longerThanJobsMayWait = () => new Promise((resolve) => setTimeout(resolve, 3 * TIMES.mayWaitMs));

test('waiting jobs are a stall while no worker takes one', async () => {
  await queues.enqueueDispatch('r', 'e', 'hold_created');
  await eventually('a stall', () => stalls().length > 0);
  expect(stalls()).toEqual([`jobs of ${NAME}`]);
  void worker.run();
  await eventually('no stall', () => stalls().length === 0);
});

test('a paused queue is no stall, but a resumed one is', async () => {
  await queues.byName(NAME).pause();
  await queues.enqueueDispatch('r', 'e', 'hold_created');
  await longerThanJobsMayWait();
  expect(stalls()).toEqual([]);
  await queues.byName(NAME).resume();
  await eventually('a stall', () => stalls().length === 1);
});
