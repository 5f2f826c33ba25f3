import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { anyPartner, expectStatus, type Json, operatorOf } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import { ageAlerts, insertDeadLetters, MINUTE_MS, sweep } from './watching.ts';

const ALERTS = '/api/v1/operator/alerts';
const [A, B, C] = ['a', 'b', 'c'].map((each) => `0193a1f4-6c0${each}-7b2a-9d41-5e0c7a3f1b05`) as [
  string,
  string,
  string,
];

const service = await hostedService();
let operator: Client;
let partnerId: string;
beforeAll(async () => {
  operator = operatorOf(service);
  partnerId = (await anyPartner(service)).id;
  await sweep(service, { guards: ['one_claim_per_cell'] });
  await ageAlerts(service, MINUTE_MS);
  await sweep(service);
  for (const subscription of [A, B, C]) {
    await insertDeadLetters(service, subscription, partnerId, [subscription.replace('b05', 'd05')]);
    await sweep(service);
  }
});
afterAll(() => service.stop());

const list = async (query: string): Promise<Json> => expectStatus(await operator.get(`${ALERTS}?${query}`), 200);
const subjects = async (query: string) =>
  ((await list(query))['data'] as Json[]).map(({ kind, subject }) => subject ?? kind);

test('open alerts are listed unless others are asked for, those raised last first', async () => {
  const open = [C, B, A];
  expect(await subjects('')).toEqual(open);
  expect(await subjects('status=resolved')).toEqual(['guard_index_absent']);
  expect(await subjects('status=all')).toEqual([...open, 'guard_index_absent']);
  expect(await subjects('status=all&kind=guard_index_absent')).toEqual(['guard_index_absent']);
});
