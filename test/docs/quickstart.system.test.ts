import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signDelivery } from '../../src/webhooks/sender/signature.rules.ts';
import { run, startServer } from '../clients/tools.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import { freePort } from '../support/own-servers.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, startApi, startProcess } from '../support/worker-process.ts';
import { type Block, blocksOf } from './documents.ts';
import { describeWith } from './programs.ts';

/** The shape of a response: names and types; for arrays, of the first element. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, formOf(each)]));
}

/** The last JSON object that a block printed; background jobs may print lines too. */
function printedJson(printed = ''): unknown {
  const line = printed.split('\n').findLast((each) => each.startsWith('{'));
  return line === undefined ? undefined : JSON.parse(line);
}

/** Ends the script if a command fails or a call is rejected (4xx, 5xx). */
const STRICT = 'set -euo pipefail; curl() { command curl --fail-with-body "$@"; }\n';
const END_OF_BLOCK = '<<end of block>>';

const needs = { bash: '--version', curl: '--version', timeout: '--version' };
await describeWith(needs, 'the served quickstart', () => {
  let service: Service;
  let blocks: Block[];
  let environment: Record<string, string>;
  beforeAll(async () => {
    service = await startService();
    const venue = await anyVenue(service, [{}], { time_zone: 'Asia/Kolkata' });
    const { apiKey } = await anyPartner(service, [venue.id]);
    const [{ url }] = await Promise.all([
      startApi(service.environment),
      startProcess('workers/webhook-delivery.ts', service.environment).ready,
    ]);
    blocks = blocksOf({ text: await (await fetch(`${url}/docs/quickstart.md`)).text() });
    environment = { API: `${url}/api/v1`, KEY: apiKey, PORT: String(await freePort()) };
  });
  afterAll(async () => {
    await endProcesses();
    await service.stop();
  });

  test('in an empty folder: every command succeeds, responses have the shown form, the slot is BOOKED, webhooks verify', async () => {
    const cwd = await temporaryFolder();
    const commands = blocks.filter(({ language }) => language === 'bash').map(({ text }) => text);
    const script = path.join(await temporaryFolder(), 'commands.sh');
    await writeFile(script, STRICT + commands.map((text) => `${text}\nprintf '\\n%s\\n' '${END_OF_BLOCK}'\n`).join(''));
    // On failure, `timeout` also ends the receiver, which the script starts in the background.
    const output = await run('timeout', ['60', 'bash', '--norc', script], { cwd, env: environment });
    const printed = output.split(END_OF_BLOCK);
    let pasted = 0;
    let compared = 0;
    for (const { language, text } of blocks) {
      if (language === 'bash') pasted += 1;
      if (language === 'json') {
        expect(formOf(printedJson(printed[pasted - 1]))).toEqual(formOf(JSON.parse(text)));
        compared += 1;
      }
      if (language === 'text') for (const line of text.trimEnd().split('\n')) expect(output).toContain(line);
    }
    expect(compared).toBe(4);
    expect(output).toContain('verified: booking_cancelled');
    expect(output).not.toContain('rejected');
    const booking: unknown = JSON.parse(await readFile(path.join(cwd, 'booking.json'), 'utf8'));
    expect(booking).toMatchObject({ status: 'BOOKED' });
  });

  test('has a receiver that rejects forged, stale and unsigned webhooks, and continues', async () => {
    const cwd = await temporaryFolder();
    const port = await freePort();
    const SECRET_KEY = 'whsec_any';
    const receiver = blocks.find(({ text }) => text.startsWith('cat > receiver.mjs'))?.text ?? '';
    await run('bash', ['-c', receiver], { cwd });
    const server = await startServer(process.execPath, ['receiver.mjs'], port, { cwd, env: { SECRET_KEY } });
    try {
      const body = Buffer.from('{"event_type":"hold_created","slot_id":"पिच"}');
      const deliver = (ageSeconds: number, secretKey: string, sent = body, name = 'x-service-signature') => {
        const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
        const signature = signDelivery({ secretKey, timestampSeconds, body });
        const headers = { 'x-service-timestamp': String(timestampSeconds), [name]: signature };
        return fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body: sent });
      };
      const statuses = [
        await deliver(0, SECRET_KEY),
        await deliver(0, SECRET_KEY, body, 'x-service-signature-previous'),
        await deliver(0, 'whsec_other'),
        await deliver(310, SECRET_KEY),
        await deliver(-310, SECRET_KEY),
        await deliver(0, SECRET_KEY, Buffer.from('{"event_type":"hold_expired"}')),
        await deliver(0, SECRET_KEY, body, 'x-other'),
        await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: '{}' }),
        await deliver(0, SECRET_KEY),
      ].map(({ status }) => status);
      expect(statuses).toEqual([204, 204, 401, 401, 401, 401, 401, 401, 204]);
    } finally {
      await server.end();
    }
  });
});
