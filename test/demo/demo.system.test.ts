import { readdir } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import { processesWith } from '../embedded/processes-with.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import { startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';

afterAll(endProcesses);

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

test('without a webhook-delivery worker of the running service, the demo ends with 1 and names that worker', async () => {
  const service = await startService();
  try {
    const demo = startProcess('src/development/demo.ts', {
      PORT: new URL(service.url).port,
      ADMIN_PORT: new URL(service.adminUrl).port,
      OPERATOR_API_KEY: OPERATOR_KEY,
    });
    expect((await demo.exited).code).toBe(1);
    // Sentences are wrapped.
    const output = demo.output().replaceAll(/\s+/g, ' ');
    expect(output).toContain('✓ cancelled; its slot is free again');
    expect(output).toContain('✗ the webhooks (is the webhook-delivery worker of the service running?)');
    expect(output).not.toContain('checks passed');
  } finally {
    await service.stop();
  }
});
