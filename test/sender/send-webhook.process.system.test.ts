import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { closeOpened, outcome, tlsReceiver } from '../deliveries/sending.ts';

const run = promisify(execFile);

afterEach(closeOpened);

/**
 * Runs a module in its own Node process; returns its output. In a test, `process` is a copy that Node's core does not
 * read.
 */
async function inOwnProcess(code: string, environment: Record<string, string> = {}) {
  const source = new URL('../../src/webhooks/sender/send-webhook.ts', import.meta.url).href;
  const module = `import { createWebhookSender } from ${JSON.stringify(source)};
    const sender = createWebhookSender({ timeoutMs: 5_000, allowPrivateNetworks: true });
    const send = (url, signal) => sender.send({ url, headers: {}, body: '{}', signal });
    const print = (value) => console.log(JSON.stringify(value));
    ${code}
    await sender.close();`;
  const { stdout, stderr } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', module], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    timeout: 90_000,
  });
  return { printed: JSON.parse(stdout) as unknown, stderr };
}

test('NODE_TLS_REJECT_UNAUTHORIZED=0 does not disable the verification of certificates', async () => {
  const target = await tlsReceiver((_request, response) => response.end('ok'));
  const url = JSON.stringify(`https://127.0.0.1:${target.port}/`);
  // The fetch is the control: the variable does disable verification by default.
  const { printed } = await inOwnProcess(
    `print({ fetched: (await fetch(${url})).status, sent: await send(${url}) });`,
    { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  );
  expect(printed).toEqual({ fetched: 200, sent: outcome({ ok: false, error: 'tls_error' }) });
});
