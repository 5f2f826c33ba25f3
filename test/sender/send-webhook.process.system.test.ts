import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { closeOpened, outcome, tlsReceiver } from './sending.ts';

afterEach(closeOpened);

// Runs in its own Node process: in a test, `process` is a copy that Node's core does not read.
test('NODE_TLS_REJECT_UNAUTHORIZED=0 does not disable the verification of certificates', async () => {
  const target = await tlsReceiver((_request, response) => response.end('ok'));
  const url = JSON.stringify(`https://127.0.0.1:${target.port}/`);
  const source = new URL('../../src/webhooks/sender/send-webhook.ts', import.meta.url).href;
  // The fetch is the control: the variable does disable verification by default.
  const program = `import { createWebhookSender } from ${JSON.stringify(source)};
    const sender = createWebhookSender({ timeoutMs: 5_000, allowPrivateNetworks: true });
    const fetched = (await fetch(${url})).status;
    const sent = await sender.send({ url: ${url}, headers: {}, body: '{}' });
    console.log(JSON.stringify({ fetched, sent }));
    await sender.close();`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const env = { PATH: process.env['PATH'] ?? '', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 90_000 });
  expect(JSON.parse(stdout)).toEqual({ fetched: 200, sent: outcome({ ok: false, error: 'tls_error' }) });
});
