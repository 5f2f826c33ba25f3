import { afterAll, afterEach, expect, test } from '@jest/globals';
import { signSession } from '../../src/operations/operators/session.rules.ts';
import { createClient } from '../support/client.ts';
import { anyPartner, operatorOf } from '../support/factories.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const service = await hostedService();
afterAll(() => service.stop());
const partner = await anyPartner(service);
afterEach(() => failpoint('off', {}));

/** Makes commands on one collection of this file's database fail; other suites share the server. */
async function failpoint(mode: 'off' | 'alwaysOn', data: Record<string, unknown>, collection = 'reservations') {
  const { db } = service.context.db;
  const namespace = `${db?.databaseName}.${collection}`;
  await db?.admin().command({ configureFailPoint: 'failCommand', mode, data: { namespace, ...data } });
}

test('a command that fails for an unexpected reason is 500; only the log has the cause, under the request id', async () => {
  await failpoint('alwaysOn', { errorCode: 8, failCommands: ['aggregate'] });
  const reply = await partner.api.get('/api/v1/bookings');
  expect([verdict(reply), reply.text.includes('failCommand')]).toEqual(['500 INTERNAL_ERROR', false]);
  const logged = (await service.logs())
    .split('\n')
    .find((line) => line.includes(errorOf(reply).request_id) && line.includes('failCommand'));
  expect(JSON.parse(logged ?? '{}')).toMatchObject({ level: 'error' });
});

test('without a primary, a browser gets an error page, even if its session cannot be checked; a program gets JSON', async () => {
  const browser = { accept: 'text/html,*/*;q=0.8' };
  const operator = operatorOf(service);
  await failpoint('alwaysOn', { errorCode: 10107, failCommands: ['aggregate'] });
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
