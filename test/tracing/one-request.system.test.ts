import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, type Json, operatorOf, subscribe } from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import { startScene } from '../support/scene.ts';
import { startService } from '../support/service.ts';
import type { LogLine, SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, startProcess, stopProcess } from '../support/worker-process.ts';
import { startCollector } from './otlp-collector.ts';

const CUSTOMER = 'Canaryname Zephyrine';

const [service, collector, receiver] = await Promise.all([startService(), startCollector(), startReceiver()]);
const environment = {
  ...service.environment,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_TRACES_SAMPLER: 'always_on',
  HOLD_TTL_SECONDS: '2',
};
const processes = {
  api: startProcess('src/main/api.ts', environment),
  expiry: startProcess('workers/hold-expiry.ts', environment),
  delivery: startProcess('workers/webhook-delivery.ts', environment),
};
const [{ url } = {}] = await Promise.all(Object.values(processes).map(({ ready }) => ready));
const scene = await startScene(service);
const partner = { ...scene.partner, api: createClient(String(url), scene.partner.apiKey) };
await subscribe(partner, `${receiver.url}?token=canary-query-77`, ['hold_created']);
afterAll(async () => {
  await endProcesses();
  await Promise.all([collector.close(), receiver.close(), service.stop()]);
});

const linesWith = (process: SpawnedProcess, text: string): LogLine[] =>
  process.log().filter((line) => JSON.stringify(line).includes(text));

test('one request id finds the lines of every process, the deliveries and the trace', async () => {
  const requestId = `support-${randomUUID()}`;
  const reply = await partner.api.post(
    '/api/v1/partner/holds',
    { slot_id: scene.slot(), order_reference: CUSTOMER },
    { 'x-request-id': requestId, traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` },
  );
  const holdId = String(expectStatus(reply, 201)['hold_id']);

  const [requestLine] = await eventually('a line of the request', () => {
    const lines = linesWith(processes.api, requestId);
    return lines.length > 0 && lines;
  });
  expect(requestLine).toMatchObject({ level: 'info', request_id: requestId, hold_id: holdId, status: 201 });
  const ofDelivery = (msg: string) =>
    eventually(`a line: ${msg}`, () => linesWith(processes.delivery, requestId).find((line) => line['msg'] === msg));
  expect(await ofDelivery('events dispatched')).toMatchObject({ request_ids: [requestId] });
  const attempted = await ofDelivery('delivery attempted');
  const { trace_id: traceId } = requestLine as { trace_id: string };
  expect(attempted).toMatchObject({ error: null, request_id: requestId, hold_id: holdId, trace_id: traceId });
  const [expiryLine] = await eventually('a line of its expiry', () => {
    const lines = linesWith(processes.expiry, holdId);
    return lines.length > 0 && lines;
  });
  expect(expiryLine).toMatchObject({ msg: 'holds expired', hold_ids: [holdId] });

  const deliveries = await operatorOf(service).get(`/api/v1/operator/deliveries?request_id=${requestId}`);
  expect(expectStatus(deliveries, 200)['data']).toMatchObject([
    {
      request_id: requestId,
      state: 'succeeded',
      payload: { event_id: attempted['event_id'] },
      attempts: [{ delivery_id: attempted['delivery_id'] }],
    },
  ] as Json[]);

  // The processes export their spans when they stop, at the latest.
  for (const process of Object.values(processes)) expect((await stopProcess(process)).code).toBe(0);
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const [root] = spans.filter(({ name }) => name === 'POST /api/v1/partner/holds');
  expect(root).toMatchObject({
    service: 'partner-booking-api',
    parentId: '',
    attributes: { request_id: requestId },
  });
  expect(spans.map(({ service: process, name }) => `${process}: ${name}`)).toEqual(
    expect.arrayContaining([
      'partner-booking-webhook-delivery: dispatch hold_created',
      'partner-booking-webhook-delivery: deliver webhook',
      'partner-booking-webhook-delivery: POST',
    ]),
  );
  expect(spans.some(({ attributes }) => attributes['db.system'] === 'mongodb' || 'db.system.name' in attributes)).toBe(
    true,
  );
  expect(collector.spans.map(({ name }) => name).join('\n')).toMatch(/process webhook-delivery/);
});

test('strangers can neither join nor see a trace, and no span has data that the log omits', () => {
  const sent = collector.text();
  expect(sent).toContain('POST /api/v1/partner/holds');
  expect(collector.spans.map(({ traceId }) => traceId)).not.toContain('ab'.repeat(16));
  expect(receiver.received.map(({ headers }) => headers['traceparent'])).toEqual([undefined]);
  for (const secret of [CUSTOMER, 'canary-query-77', partner.apiKey]) expect(sent).not.toContain(secret);
});
