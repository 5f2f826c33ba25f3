import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type { Json, Partner } from '../support/factories.ts';
import { expectStatus, operatorOf } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { headOf, openRaw, repliesIn } from './raw-connection.ts';

const service = await hostedService();
afterAll(() => service.stop());
const calls = collectionCallsOf(service);
const { partner, rival, slot: nextSlot } = await startScene(service);

/** Sends the headers of a call, does `meanwhile`, and then sends its body. */
async function callAround({ apiKey }: Partner, path: string, body: Json, meanwhile: () => Promise<unknown>) {
  const text = JSON.stringify(body);
  const head = headOf('POST', service.url + path, [
    ['x-api-key', apiKey],
    ['Content-Type', 'application/json'],
    ['Content-Length', Buffer.byteLength(text)],
  ]);
  const raw = openRaw(service.url, head);
  await delay(200);
  await meanwhile();
  raw.socket.write(text);
  await raw.closed;
  const [reply] = repliesIn(raw.text());
  if (reply === undefined) throw new Error(`No response: ${raw.text()}`);
  return reply;
}

async function revoke({ id }: Partner): Promise<void> {
  const keys = `/api/v1/operator/partners/${id}/keys`;
  const { data } = expectStatus(await operatorOf(service).get(keys), 200) as { data: Json[] };
  for (const { key_id: keyId } of data) await operatorOf(service).delete(`${keys}/${String(keyId)}`);
}

describe('a body that arrives after its key was revoked', () => {
  test('places no hold', async () => {
    const slotId = nextSlot();
    const reply = await callAround(rival, '/api/v1/partner/holds', { slot_id: slotId }, () => revoke(rival));
    expect(verdict(reply)).toBe('401 INVALID_API_KEY');
    expect(await rowsOf(service, 'reservations', { slotId })).toEqual([]);
  });

  test('control: a body whose key is still valid is served', async () => {
    const body = { slot_id: nextSlot() };
    const reply = await callAround(partner, '/api/v1/partner/holds', body, () => Promise.resolve());
    expect(reply.status).toBe(201);
  });
});

const walkIn = () => operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: nextSlot() });

test('at most eight walk-ins wait for a venue whose transactions are blocked; one more is 503 immediately', async () => {
  let others: Promise<Reply>[] = [];
  const whileTheFirstHasTheVenue = async () => {
    others = Array.from({ length: 9 }, walkIn);
    expect(verdict(await Promise.race(others))).toBe('503 SERVICE_UNAVAILABLE');
  };
  const first = await calls.beforeNext('reservations.findOneAndUpdate', whileTheFirstHasTheVenue, walkIn);
  const statuses = [first, ...(await Promise.all(others))].map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 9 }, () => 201), 503]);
});
