import { afterAll, describe, expect, test } from '@jest/globals';
import { isAllowedOnBoard } from '../../src/operations/operators/queue-board.rules.ts';
import { expectStatus, type Json, operatorOf, placeHold } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Inside from './queue-board.in-host.ts';

const service = await hostedService();
const inside = service.inHost<typeof Inside>('test/operators/queue-board.in-host.ts');
const operator = operatorOf(service);
const { partner, slot } = await startScene(service);
await placeHold(partner, slot());
const jobId = await inside.delayedJob();
afterAll(() => service.stop());

const ALLOWED = new Set([
  '/queues/api/queues/resume',
  '/queues/api/queues/:queueName/pause',
  '/queues/api/queues/:queueName/resume',
  '/queues/api/queues/:queueName/retry/:queueStatus',
  '/queues/api/queues/:queueName/:jobId/retry',
  '/queues/api/queues/:queueName/:jobId/clean',
]);

const { jobCount, isPaused } = inside;

/** A reason that begins with `%` is sent without encoding. */
const pause = (path: string, reason?: string) =>
  operator.send('PUT', `/queues/api/queues/${path}`, {
    headers: reason === undefined ? {} : { 'x-reason': reason.startsWith('%') ? reason : encodeURIComponent(reason) },
  });
const audited = async (action: string): Promise<Json | undefined> =>
  (expectStatus(await operator.get(`/api/v1/operator/audit?action=${action}`), 200)['data'] as Json[])[0];

describe('the queue board', () => {
  test('has a page that names no other host, in links and in its policy', async () => {
    const reply = await operator.get('/queues', { accept: 'text/html' });
    const policy = reply.headers.get('content-security-policy') ?? '';
    expect(reply.text).toContain('id="__UI_CONFIG__"');
    expect(reply.text.match(/(?:src|href)="(?:https?:)?\/\/[^"]*/g)).toBeNull();
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https:|\*/);
    // Control: a link to another host would be removed.
    expect(await inside.pageWithoutOthers('<link rel="x" href="//fonts.example/a"></head>')).not.toContain(
      'fonts.example',
    );
  });

  test.each(['/queues/api/queues/hold-expiry', '/queues/api/queues/hold%2Dexpiry', '/Queues/API/queues/hold-expiry'])(
    'pauses a queue with a reason, which the audit keeps, and resumes it: %s',
    async (path) => {
      const reason = `₹ 0 refund, ${path}`;
      const headers = { 'x-reason': encodeURIComponent(reason) };
      expectStatus(await operator.send('PUT', `${path}/pause`, { headers }), 200);
      expect(await isPaused()).toBe(true);
      expect(await audited('pauseQueue&subject=hold-expiry')).toMatchObject({ status: 200, reason });
      expectStatus(await operator.send('PUT', `${path}/resume`), 200);
      expect(await isPaused()).toBe(false);
      expect(await audited('resumeQueue&subject=hold-expiry')).toMatchObject({ status: 200, reason: null });
    },
  );

  test.each([
    ['all queues', 'pause'],
    ['dead letters, because a paused queue does not show the reasons of its jobs', 'dead-letter/pause'],
  ])('does not pause %s', async (_what, path) => {
    expect((await pause(path, 'Why not')).status).toBe(403);
  });

  test.each([
    ['no reason', undefined],
    ['a blank reason', ' '],
    ['a reason of several lines', 'a\nb'],
    ['a reason that is too long', 'x'.repeat(201)],
    ['a reason that is not percent-encoded', '%E2%82'],
  ])('pauses nothing for %s, and names the header X-Reason', async (_which, reason) => {
    const reply = await pause('hold-expiry/pause', reason);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('X-Reason');
    expect(await isPaused()).toBe(false);
    expect(await audited('pauseQueue')).toMatchObject({ status: 400, reason: null });
  });

  test('rejects every call that would destroy a queue or change a job, including unknown ones', async () => {
    const changes = (await inside.endpointsOfAdmin()).filter(
      ({ method, path }) => method !== 'GET' && path.startsWith('/queues/api/'),
    );
    expect(changes.length).toBeGreaterThan(20);
    expect(changes.map(({ path }) => path)).toContain('/queues/api/queues/:queueName/obliterate');
    for (const { method, path } of changes.filter((change) => !ALLOWED.has(change.path))) {
      const url = path
        .replace(':queueName', 'hold-expiry')
        .replace(':jobId', jobId)
        .replace(':queueStatus', 'delayed')
        .replace(':schedulerId', 'any');
      const reply = await operator.send(method, url, { headers: { 'content-type': 'application/json' }, body: '{}' });
      expect([url, reply.status]).toEqual([url, 403]);
      expect(reply.text).toContain('operator API');
    }
    expect(isAllowedOnBoard('put', '/api/queues/:queueName/shred', {})).toBe(false);
    expect(await jobCount()).toBe(1);
  });

  test('removes a single job', async () => {
    expectStatus(await operator.send('PUT', `/queues/api/queues/hold-expiry/${jobId}/clean`), 204);
    expect(await jobCount()).toBe(0);
  });
});
