import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { processesWith } from '../embedded/processes-with.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';

afterAll(endProcesses);

/** The output without line breaks, to find sentences that are wrapped. */
const flat = (output: string): string => output.replaceAll(/\s+/g, ' ');

let folder: string;
/** The number of the demo's processes: its system, both servers and their watchers. */
const processes = async () => (await processesWith(`TMPDIR=${folder}`)).length;

const leftovers = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('partner-booking'));

test('if no service runs, the demo starts one, passes every check, ends with 0 and leaves nothing behind', async () => {
  folder = await temporaryFolder();
  const demo = startProcess('src/development/demo.ts', { PORT: '0', TMPDIR: folder });
  await eventually('the story', () => demo.output().includes('A hold, and a conflict'), 120_000);
  expect(await processes()).toBeGreaterThanOrEqual(6);
  expect(await leftovers()).toHaveLength(1);
  expect(await demo.exited).toEqual({ code: 0, signal: null });

  const output = demo.output();
  expect(output).toMatch(/All \d+ checks passed, in [\d.]+ s\.\n$/);
  const steps = [...output.matchAll(/^ ?\d+ {2}.+\n((?: {4}.*\n)*)/gm)];
  expect(steps).toHaveLength(13);
  for (const [, step] of steps) expect(step).toContain('✓');
  expect(output).toMatch(/Nothing to change[^]*✓ the same file again changes nothing/);
  expect(output).toMatch(/POST \/api\/v1\/partner\/holds +409\n[^]*SLOT_NOT_AVAILABLE/);
  expect(output).toMatch(/POST \/api\/v1\/bookings\/confirm +201\n[^]*Idempotent-Replayed: true/);
  const events = [...output.matchAll(/✓ (\w+) +hold …[0-9a-f]{8}, attempt 1, .*sha256=[0-9a-f]+…/g)];
  expect(events).toHaveLength(5);
  expect(output).toMatch(/POST \/webhooks +401\n/);
  const delays = [...output.matchAll(/attempt \d: 500, next attempt after (\d+)\.\d s/g)];
  expect(delays.map(([, seconds]) => Math.round(Number(seconds) / 10) * 10)).toEqual([300, 900, 1800, 3600]);
  expect(output).toMatch(/redeliver +202\n[^]*✓ redelivered with the same event_id/);

  await eventually('every process to be gone', async () => (await processes()) === 0);
  expect(await leftovers()).toEqual([]);
  expect(output.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(output).not.toContain('\u001b');
  expect(output).not.toMatch(/(pk_sandbox_|whsec_|op_)[\w-]{5}/);
}, 240_000);

describe('against a service that runs, without its webhook-delivery worker', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const runDemo = async (operatorKey: string) => {
    const portOf = (url: string) => new URL(url).port;
    const demo = startProcess('src/development/demo.ts', {
      PORT: portOf(service.url),
      ADMIN_PORT: portOf(service.adminUrl),
      OPERATOR_API_KEY: operatorKey,
    });
    const { code } = await demo.exited;
    return { code, output: flat(demo.output()) };
  };

  test('the demo ends with 1 at the webhooks, and names the worker that may be missing', async () => {
    const { code, output } = await runDemo(OPERATOR_KEY);
    expect(code).toBe(1);
    expect(output).toContain('✓ cancelled; its slot is free again');
    expect(output).toContain('✗ the webhooks (is the webhook-delivery worker of the service running?)');
    expect(output).not.toContain('checks passed');
  });
});
