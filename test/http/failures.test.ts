import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { signSession } from '../../src/operations/operators/session.rules.ts';
import { createClient } from '../support/client.ts';
import { anyPartner, anyVenue, freeSlotIds, operatorOf, placeHold } from '../support/factories.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const service = await hostedService();
afterAll(() => service.stop());
const venue = await anyVenue(service);
const partner = await anyPartner(service, [venue.id]);
afterEach(() => failpoint('off', {}));

/** Makes commands on one collection of this file's database fail; other suites share the server. */
async function failpoint(
  mode: 'off' | 'alwaysOn' | { times: number },
  data: Record<string, unknown>,
  collection = 'reservations',
) {
  const { db } = service.context.db;
  const namespace = `${db?.databaseName}.${collection}`;
  await db?.admin().command({ configureFailPoint: 'failCommand', mode, data: { namespace, ...data } });
}

const A_BUG = { errorCode: 8, failCommands: ['aggregate', 'findAndModify'] };
const NOT_PRIMARY = { errorCode: 10107, failCommands: ['aggregate', 'findAndModify'] };
const TOO_SLOW = { errorCode: 50, failCommands: ['aggregate', 'findAndModify'] };

const get = (path: string) => partner.api.get(path);

describe('when the database rejects a command for an unexpected reason', () => {
  test('the call is 500 INTERNAL_ERROR, and only the log has the cause, under the request id', async () => {
    await failpoint('alwaysOn', A_BUG);
    const reply = await get('/api/v1/bookings');
    expect([verdict(reply), reply.text.includes('failCommand')]).toEqual(['500 INTERNAL_ERROR', false]);
    const logged = (await service.logs())
      .split('\n')
      .find((line) => line.includes(errorOf(reply).request_id) && line.includes('failCommand'));
    expect(JSON.parse(logged ?? '{}')).toMatchObject({ level: 'error' });
  });

  test('a hold that could not be written does not exist, not even in part', async () => {
    const [slotId = ''] = await freeSlotIds(partner, venue.id);
    await failpoint('alwaysOn', { ...A_BUG, failCommands: ['update'] });
    const failed = await partner.api.post('/api/v1/partner/holds', { slot_id: slotId });
    expect(verdict(failed)).toBe('500 INTERNAL_ERROR');
    await failpoint('off', {});
    await placeHold(partner, slotId);
    expect(await freeSlotIds(partner, venue.id)).not.toContain(slotId);
  });
});

describe('when the database cannot be reached', () => {
  test.each([
    ['has no primary', '/api/v1/bookings', NOT_PRIMARY],
    ['is too slow', '/api/v1/partner/holds/some-id', TOO_SLOW],
  ])('because it %s, GET %s is 503 with Retry-After', async (_why, path, fault) => {
    await failpoint('alwaysOn', fault);
    const reply = await get(path);
    expect(verdict(reply)).toBe('503 SERVICE_UNAVAILABLE');
    expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });

  test('a browser gets an error page, even if its session cannot be checked; a program gets JSON', async () => {
    const browser = { accept: 'text/html,*/*;q=0.8' };
    const operator = operatorOf(service);
    await failpoint('alwaysOn', NOT_PRIMARY);
    expect(verdict(await operator.get('/api/v1/operator/bookings', browser))).toBe('503 SERVICE_UNAVAILABLE');
    const page = await operator.get('/bookings', browser);
    await failpoint('alwaysOn', { errorCode: 10107, failCommands: ['find', 'aggregate'] }, 'ended_sessions');
    const session = signSession(OPERATOR_KEY, new Date());
    const signedIn = { ...browser, cookie: `operator_session=${session}` };
    const stranger = createClient(service.adminUrl, undefined);
    for (const reply of [page, await stranger.get('/partners', signedIn)]) {
      expect([reply.status, reply.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
      expect(reply.text).toContain('The database cannot be reached');
      expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect(verdict(await stranger.get('/partners', { cookie: signedIn.cookie }))).toBe('503 SERVICE_UNAVAILABLE');
  });
});
