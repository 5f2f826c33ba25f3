import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { signDelivery } from '../../src/webhooks/sender/signature.rules.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import { freePort } from '../support/own-servers.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';
import { blocksOf } from './documents.ts';
import { reasonToSkip } from './programs.ts';
import { startShell } from './quickstart-run.ts';

/** The shape of a response: names and types; for arrays, of the first element. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, formOf(each)]));
}

/** The last JSON object that a block printed; background jobs may print lines too. */
function printedJson(printed: string): unknown {
  const line = printed.split('\n').findLast((each) => each.startsWith('{'));
  return line === undefined ? undefined : JSON.parse(line);
}

/** The bash blocks of a page, which a reader pastes. */
const pastedFrom = (page: string): string[] =>
  blocksOf({ text: page }).flatMap(({ language, text }) => (language === 'bash' ? [text] : []));

const withoutShell = await reasonToSkip({ bash: '--version', curl: '--version' });
(withoutShell === '' ? describe : describe.skip)(
  `the served quickstart, with its commands pasted into an empty folder${withoutShell}`,
  () => {
    let service: Service;
    let page: string;
    let environment: Record<string, string>;
    beforeAll(async () => {
      service = await startService();
      const venue = await anyVenue(service, [{}], { time_zone: 'Asia/Kolkata' });
      const { apiKey } = await anyPartner(service, [venue.id]);
      const programs = ['src/main/api.ts', 'workers/webhook-delivery.ts'];
      const [api] = await Promise.all(
        programs.map((name) => startProcess(name, service.environment)).map(({ ready }) => ready),
      );
      const url = String(api?.['url']);
      await eventually('the API serves', async () => (await fetch(`${url}/readyz`)).ok);
      page = await (await fetch(`${url}/docs/quickstart.md`)).text();
      environment = { API: `${url}/api/v1`, KEY: apiKey, PORT: String(await freePort()) };
    });
    afterAll(async () => {
      await endProcesses();
      await service.stop();
    });

    test('block by block: every command succeeds, responses have the shown form, the slot is BOOKED, webhooks verify', async () => {
      const folder = await temporaryFolder();
      expect(await readdir(folder)).toEqual([]);
      const shell = startShell(folder, environment);
      try {
        let printed = '';
        let compared = 0;
        for (const { language, text } of blocksOf({ text: page })) {
          if (language === 'bash') printed = await shell.paste(text);
          else if (language === 'json') {
            expect(formOf(printedJson(printed))).toEqual(formOf(JSON.parse(text)));
            compared += 1;
          } else if (language === 'text') {
            for (const line of text.trimEnd().split('\n')) {
              await eventually(`"${line}" of the receiver`, () => shell.output().includes(line));
            }
          }
        }
        expect(compared).toBe(4);
        expect(shell.output()).not.toContain('rejected');
        expect(JSON.parse(await readFile(path.join(folder, 'booking.json'), 'utf8'))).toMatchObject({
          status: 'BOOKED',
        });
        const isReachable = () =>
          fetch(`http://127.0.0.1:${environment['PORT']}`).then(
            () => true,
            () => false,
          );
        await eventually('the receiver to have stopped', async () => !(await isReachable()));
      } finally {
        await shell.end();
      }
    });

    test('as a whole, waits for the webhook about the cancellation and stops its receiver', async () => {
      const shell = startShell(await temporaryFolder(), { ...environment, PORT: String(await freePort()) });
      try {
        const printed = await shell.paste(pastedFrom(page).join(''));
        for (const type of ['hold_created', 'booking_created', 'booking_cancelled'])
          expect(printed).toContain(`verified: ${type}`);
        expect(await shell.paste('jobs')).not.toContain('Running');
      } finally {
        await shell.end();
      }
    });

    test('has a receiver that rejects forged, stale and unsigned webhooks, and continues', async () => {
      const folder = await temporaryFolder();
      const PORT = String(await freePort());
      const SECRET_KEY = 'whsec_any';
      const shell = startShell(folder, { PORT, SECRET_KEY });
      try {
        const receiver = pastedFrom(page).find((block) => block.startsWith('cat > receiver.mjs')) ?? '';
        await shell.paste(`${receiver}\nnode receiver.mjs &`);
        await eventually('the receiver', () => shell.output().includes('listening'));
        const body = Buffer.from('{"event_type":"hold_created","slot_id":"पिच"}');
        const deliver = (ageSeconds: number, secretKey: string, sent = body, name = 'x-service-signature') => {
          const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
          const signature = signDelivery({ secretKey, timestampSeconds, body });
          const headers = { 'x-service-timestamp': String(timestampSeconds), [name]: signature };
          return fetch(`http://127.0.0.1:${PORT}/webhooks`, { method: 'POST', headers, body: sent });
        };
        const statuses = [
          await deliver(0, SECRET_KEY),
          await deliver(0, SECRET_KEY, body, 'x-service-signature-previous'),
          await deliver(0, 'whsec_other'),
          await deliver(310, SECRET_KEY),
          await deliver(-310, SECRET_KEY),
          await deliver(0, SECRET_KEY, Buffer.from('{"event_type":"hold_expired"}')),
          await deliver(0, SECRET_KEY, body, 'x-other'),
          await fetch(`http://127.0.0.1:${PORT}/webhooks`, { method: 'POST', body: '{}' }),
          await deliver(0, SECRET_KEY),
        ].map(({ status }) => status);
        expect(statuses).toEqual([204, 204, 401, 401, 401, 401, 401, 401, 204]);
      } finally {
        await shell.end();
      }
    });
  },
);
