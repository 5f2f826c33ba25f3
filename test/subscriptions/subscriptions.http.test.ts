import { afterAll, describe, expect, test } from '@jest/globals';
import { anyPartner, expectStatus, type Json, operatorOf, type Partner, subscribe } from '../support/factories.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const WEBHOOKS = '/api/v1/partner/webhooks';
const URL_OF_PARTNER = 'http://127.0.0.1:9/hooks?tenant=7';

const service = await hostedService({ isAlone: true });
/** As in production: no private networks, https only. */
const guarded = await hostedService({
  overrides: { WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' },
  isAlone: true,
});
afterAll(() => Promise.all([service.stop(), guarded.stop()]));

const list = async (partner: Partner) => {
  const body = expectStatus(await partner.api.get(WEBHOOKS), 200);
  return { ...body, count: body['count'], data: body['data'] as Json[] };
};
const create = (partner: Partner, fields: Json = {}) =>
  partner.api.post(WEBHOOKS, { endpoint_url: URL_OF_PARTNER, event_types: ['hold_created'], ...fields });
const change = (partner: Partner, id: unknown, fields: Json) => partner.api.patch(`${WEBHOOKS}/${String(id)}`, fields);

test('an endpoint is shown in the normalized form in which it is called, also after a change', async () => {
  const partner = await anyPartner(guarded);
  const created = await create(partner, { endpoint_url: 'https://93.184.215.014:443/../ab' });
  const { id } = expectStatus(created, 201);
  expect(created.body).toMatchObject({ endpoint_url: 'https://93.184.215.12/ab' });
  const moved = await change(partner, id, { endpoint_url: 'HTTPS://93.184.215.14?x=ü' });
  expect(expectStatus(moved, 200)).toMatchObject({ endpoint_url: 'https://93.184.215.14/?x=%C3%BC' });
});

const urls = (count: number) => Array.from({ length: count }, (_, index) => `${URL_OF_PARTNER}&${index}`);
const race = async (partner: Partner) => {
  const answers = (await Promise.all(urls(30).map((endpoint_url) => create(partner, { endpoint_url })))).map(verdict);
  return [...new Set(answers)].toSorted().map((answer) => [answer, answers.filter((each) => each === answer).length]);
};

test('of 30 concurrent creates of a partner, 20 succeed and 10 are 409 WEBHOOK_LIMIT_REACHED', async () => {
  const [partner, rival] = [await anyPartner(service), await anyPartner(service)];
  expect(await race(partner)).toEqual([
    ['201', 20],
    ['409 WEBHOOK_LIMIT_REACHED', 10],
  ]);
  expect(await list(partner)).toMatchObject({ count: 20 });
  const rejected = await create(partner);
  expect(verdict(rejected)).toBe('409 WEBHOOK_LIMIT_REACHED');
  expect(errorOf(rejected).message).toContain('Change one with PATCH');
  expect(verdict(await create(rival))).toBe('201');
});

describe('a subscription with the same endpoint and events as an active one of its partner', () => {
  const exists = (id: unknown) => ({ code: 'SUBSCRIPTION_EXISTS', conflict: { subscription_id: id } });
  test('is created once by concurrent calls', async () => {
    const partner = await anyPartner(service);
    const replies = await Promise.all(Array.from({ length: 12 }, () => create(partner)));
    expect(replies.map(verdict).toSorted()).toEqual(['201', ...Array<string>(11).fill('409 SUBSCRIPTION_EXISTS')]);
    expect(await list(partner)).toMatchObject({ count: 1 });
  });

  test('cannot result from a change or an activation', async () => {
    const partner = await anyPartner(service);
    const operator = operatorOf(service);
    const first = expectStatus(await create(partner), 201)['id'];
    const second = expectStatus(await create(partner, { endpoint_url: `${URL_OF_PARTNER}0` }), 201)['id'];
    const moved = await change(partner, second, { endpoint_url: URL_OF_PARTNER });
    expect(errorOf(moved)).toMatchObject(exists(first));
    expect(verdict(await change(partner, first, { endpoint_url: URL_OF_PARTNER }))).toBe('200');
    const switchTo = (status: string) => operator.post(`/api/v1/operator/webhooks/${String(first)}/${status}`);
    expectStatus(await switchTo('deactivate'), 200);
    expect(verdict(await change(partner, second, { endpoint_url: URL_OF_PARTNER }))).toBe('200');
    const activated = await switchTo('activate');
    expect(verdict(activated)).toBe('409 SUBSCRIPTION_EXISTS');
    expect(errorOf(activated)).toMatchObject(exists(second));
    expect(verdict(await change(partner, first, { event_types: ['hold_created', 'booking_created'] }))).toBe('200');
    expectStatus(await switchTo('activate'), 200);
  });
});

describe('PATCH /api/v1/partner/webhooks/{id}', () => {
  const stored = (id: string) => rowOf(service, 'webhook_subscriptions', { _id: id });
  const elsewhere = 'http://127.0.0.1:9/elsewhere?$tenant=$1';

  test('resets the count of failures if the address changes, and keeps it otherwise', async () => {
    const partner = await anyPartner(service);
    const { id } = await subscribe(partner, URL_OF_PARTNER);
    const failing = { consecutiveFailures: 4, failingSince: new Date(0), lastFailureAt: new Date(1) };
    await changeRow(service, 'webhook_subscriptions', id, { $set: failing });
    const unmoved = { endpoint_url: URL_OF_PARTNER, event_types: ['hold_created'] };
    expectStatus(await change(partner, id, unmoved), 200);
    expect(await stored(id)).toMatchObject(failing);
    expectStatus(await change(partner, id, { endpoint_url: elsewhere }), 200);
    expect(await stored(id)).toMatchObject({ consecutiveFailures: 0, lastFailureAt: new Date(1) });
    expect(await stored(id)).not.toHaveProperty('failingSince');
  });

  test.each(['https://10.0.0.8/hooks', 'https://no-such-host.invalid/hooks'])(
    'rejects an address that creation rejects: %s',
    async (endpoint_url) => {
      const partner = await anyPartner(guarded);
      const { id } = await subscribe(partner, 'https://93.184.215.14/hooks', ['hold_created']);
      const before = (await list(partner)).data;
      const reply = await change(partner, id, { endpoint_url });
      expect(verdict(reply)).toBe('400 VALIDATION_ERROR endpoint_url');
      expect((await list(partner)).data).toEqual(before);
    },
  );
});
