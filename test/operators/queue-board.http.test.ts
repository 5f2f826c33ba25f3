import { afterAll, describe, expect, test } from '@jest/globals';
import { isAllowedOnBoard } from '../../src/operations/operators/queue-board.rules.ts';
import type { Json } from '../support/factories.ts';
import { anyPartner, anyVenue, expectStatus, freeSlotIds, operatorOf, placeHold } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Inside from './queue-board.in-host.ts';

const service = await hostedService();
const inside = service.inHost<typeof Inside>('test/operators/queue-board.in-host.ts');
const operator = operatorOf(service);
const venue = await anyVenue(service);
const partner = await anyPartner(service, [venue.id]);
const [slotId = ''] = await freeSlotIds(partner, venue.id);
await placeHold(partner, slotId);
const jobId = await inside.delayedJob();
afterAll(() => service.stop());

/** Every call of the board that may change something, with the existing job. */
const changes = async () =>
  (await inside.endpointsOfBoard())
    .filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/'))
    .map(({ method, path }) => ({
      method,
      path,
      url: `/queues${path
        .replace(':queueName', 'hold-expiry')
        .replace(':jobId', jobId)
        .replace(':queueStatus', 'delayed')
        .replace(':schedulerId', 'any')}`,
    }));

const ALLOWED = new Set([
  '/api/queues/resume',
  '/api/queues/:queueName/pause',
  '/api/queues/:queueName/resume',
  '/api/queues/:queueName/retry/:queueStatus',
  '/api/queues/:queueName/:jobId/retry',
  '/api/queues/:queueName/:jobId/clean',
]);
const JSON_BODY = { 'content-type': 'application/json' };

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

  test('pauses a queue with a reason, which the audit keeps, and resumes it', async () => {
    expectStatus(await pause('hold-expiry/pause', 'Asked for by Turf & Co., ₹ 0 refund'), 200);
    expect(await isPaused()).toBe(true);
    expect(await audited('pauseQueue')).toMatchObject({
      status: 200,
      reason: 'Asked for by Turf & Co., ₹ 0 refund',
      path: '/queues/api/queues/hold-expiry/pause',
    });
    expectStatus(await operator.send('PUT', '/queues/api/queues/hold-expiry/resume'), 200);
    expect(await isPaused()).toBe(false);
    expect(await audited('resumeQueue')).toMatchObject({ status: 200, reason: null });
    expect((await pause('pause', 'All of them')).status).toBe(403);
  });

  test.each(['/queues/api/queues/hold%2Dexpiry', '/Queues/API/queues/hold-expiry', '/queues/api/queues/hold-expiry'])(
    'is audited equally if a call writes its path as %s',
    async (path) => {
      const headers = { 'x-reason': encodeURIComponent(`As ${path}`) };
      expectStatus(await operator.send('PUT', `${path}/pause`, { headers }), 200);
      const paused = await audited('pauseQueue&subject=hold-expiry');
      expectStatus(await operator.send('PUT', `${path}/resume`), 200);
      const resumed = await audited('resumeQueue&subject=hold-expiry');
      expect(paused?.['reason']).toBe(`As ${path}`);
      expect(Date.parse(String(resumed?.['at']))).toBeGreaterThanOrEqual(Date.parse(String(paused?.['at'])));
    },
  );

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
    const paths = await changes();
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.map(({ path }) => path)).toContain('/api/queues/:queueName/obliterate');
    for (const { method, url } of paths.filter(({ path }) => !ALLOWED.has(path))) {
      const reply = await operator.send(method, url, { headers: JSON_BODY, body: '{}' });
      expect([url, reply.status]).toEqual([url, 403]);
      expect(reply.text).toContain('operator API');
    }
    expect(isAllowedOnBoard('put', '/api/queues/:queueName/shred', {})).toBe(false);
    expect(await jobCount()).toBe(1);
  });

  test('does not pause dead letters: a paused job would not show its reason', async () => {
    const reply = await pause('dead-letter/pause', 'Why not');
    expect(reply.status).toBe(403);
  });

  test('removes a single job', async () => {
    expectStatus(await operator.send('PUT', `/queues/api/queues/hold-expiry/${jobId}/clean`), 204);
    expect(await jobCount()).toBe(0);
  });
});
