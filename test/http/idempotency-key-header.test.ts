import { afterAll, describe, expect, test } from '@jest/globals';
import type { Json } from '../support/factories.ts';
import { confirmBody, placeHold } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { converse, headOf, repliesIn } from './raw-connection.ts';

const service = sharedService();
afterAll(() => service.stop());
const { partner, slot: newSlot } = await startScene(service);
let keys = 0;

const newKey = () => `key-${(keys += 1)}`;
const hold = (slotId: string, header: string | undefined, fields: Json = {}) =>
  partner.api.post(
    '/api/v1/partner/holds',
    { slot_id: slotId, ...fields },
    header === undefined ? {} : { 'idempotency-key': header },
  );

describe('a key in the header Idempotency-Key', () => {
  test.each([
    ['as it is', 'a-', 'a-', ''],
    ['in quotation marks, as in the IETF draft', 'a-', '"a-', '"'],
    ['beyond ASCII, in UTF-8', 'ключ-café-', Buffer.from('ключ-café-').toString('latin1'), ''],
    ['in Latin-1, as browsers send it', 'café-', 'café-', ''],
  ])('is the same key as in the field idempotency_key: %s', async (_what, text, prefix, suffix) => {
    const [slot, key] = [newSlot(), newKey()];
    // The tests' client sends headers in UTF-8; `fetch` sends each character as a byte.
    const first = await fetch(`${service.url}/api/v1/partner/holds`, {
      method: 'POST',
      headers: {
        'x-api-key': partner.apiKey,
        'content-type': 'application/json',
        'idempotency-key': prefix + key + suffix,
      },
      body: JSON.stringify({ slot_id: slot }),
    });
    const again = await hold(slot, undefined, { idempotency_key: text + key });
    expect([first.status, verdict(again)]).toEqual([201, '201']);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('replaces the required field', async () => {
    const { hold_id: id } = await placeHold(partner, newSlot());
    const { idempotency_key: _, ...body } = confirmBody(id);
    const confirm = (headers: Record<string, string>) => partner.api.post('/api/v1/bookings/confirm', body, headers);
    expect(verdict(await confirm({}))).toBe('400 VALIDATION_ERROR idempotency_key');
    expect(verdict(await confirm({ 'idempotency-key': newKey() }))).toBe('201');
  });

  test.each(['another', null])('is rejected together with %j in the field, and nothing is done', async (field) => {
    const [slot, key] = [newSlot(), newKey()];
    const reply = await hold(slot, key, { idempotency_key: field });
    expect(verdict(reply)).toBe('400 VALIDATION_ERROR idempotency_key');
    expect(verdict(await hold(slot, key, { idempotency_key: key }))).toBe('201');
  });

  test.each([
    ['too long', 'k'.repeat(256)],
    ['empty', '""'],
  ])('that is %s is rejected as in the field', async (_what, header) => {
    expect(verdict(await hold(newSlot(), header))).toBe('400 VALIDATION_ERROR idempotency_key');
  });

  test('is ignored if the endpoint takes no key, and with a body that is not an object', async () => {
    const { hold_id: id } = await placeHold(partner, newSlot());
    const headers = { 'idempotency-key': newKey() };
    const cancel = `/api/v1/partner/holds/${String(id)}/cancel`;
    expect(verdict(await partner.api.post(cancel, {}, headers))).toBe('200');
    const list = await partner.api.post('/api/v1/partner/holds', ['x'], headers);
    expect(verdict(list)).toBe('400 VALIDATION_ERROR body');
  });
});

test('two headers that differ are rejected', async () => {
  const body = JSON.stringify({ slot_id: newSlot() });
  const head = headOf('POST', `${service.url}/api/v1/partner/holds`, [
    ['x-api-key', partner.apiKey],
    ['Content-Type', 'application/json'],
    ['Content-Length', body.length],
    ['Idempotency-Key', 'one'],
    ['Idempotency-Key', 'two'],
  ]);
  const [reply] = repliesIn(await converse(service.url, head + body));
  expect(reply === undefined ? 'none' : verdict(reply)).toBe('400 VALIDATION_ERROR idempotency_key');
});
