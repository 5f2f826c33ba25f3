import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';
import { blocksOf, readDocument } from './documents.ts';
import { reasonToSkip } from './programs.ts';
import type { PastingShell } from './quickstart-run.ts';
import { startShell } from './quickstart-run.ts';

/** The form of a response: names and types, of arrays the first element's. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, formOf(each)]));
}

/** The JSON object among what a block printed; a job in the background may print lines of its own. */
function printedJson(printed: string): unknown {
  const line = printed.split('\n').find((each) => each.startsWith('{'));
  return line === undefined ? undefined : JSON.parse(line);
}

const withoutShell = await reasonToSkip({ bash: '--version', curl: '--version' });
(withoutShell === '' ? describe : describe.skip)(
  `the quickstart, pasted block by block${withoutShell}`,
  () => {
    let service: Service;
    let shell: PastingShell;
    let environment: Record<string, string>;
    beforeAll(async () => {
      service = await startService();
      const venue = await anyVenue(service, [{}], { time_zone: 'Asia/Kolkata' });
      const { apiKey } = await anyPartner(service, [venue.id]);
      const workers = ['event-dispatch', 'webhook-delivery'];
      const started = workers.map((name) => startProcess(`workers/${name}.ts`, service.environment));
      await Promise.all(started.map((worker) => worker.ready));
      environment = { API: `${service.url}/api/v1`, KEY: apiKey, RECEIVER_PORT: String(await freePort()) };
      shell = startShell(environment);
    });
    afterAll(async () => {
      await shell.end();
      await endProcesses();
      await service.stop();
    });

    test('works: every command succeeds, every response has the form that is shown, and webhooks arrive verified', async () => {
      const blocks = blocksOf(await readDocument('docs/guides/quickstart.md'));
      let printed = '';
      let compared = 0;
      for (const { language, text } of blocks) {
        if (language === 'bash') printed = await shell.paste(text);
        else if (language === 'json') {
          expect(formOf(printedJson(printed))).toEqual(formOf(JSON.parse(text)));
          compared += 1;
        } else {
          expect(language).toBe('text');
          // Addresses and slots are of that day; what the receiver says of them is not.
          for (const line of text.trimEnd().split('\n')) {
            const said = line.replace(/ \S+$/, '');
            await eventually(`"${said}" of the receiver`, () => shell.output().includes(said));
          }
        }
      }
      expect(compared).toBe(6);
      expect(shell.output()).not.toContain('refused');
    });

    test('pasted again, it takes the subscription that is there, and what is then signed is verified', async () => {
      const again = startShell(environment);
      try {
        const blocks = blocksOf(await readDocument('docs/guides/quickstart.md'));
        const upToConfirm = blocks.filter(({ language }) => language === 'bash').slice(0, 7);
        for (const { text } of upToConfirm) {
          await again.paste(text);
          if (text.includes('receive.ts')) {
            await eventually('the receiver', () => again.output().includes('listening'));
          }
        }
        await eventually('a verified webhook', () => again.output().includes('verified: booking_created'));
        expect(again.output()).not.toContain('refused');
        expect(await rowsOf(service, 'webhook_subscriptions', {})).toHaveLength(1);
      } finally {
        await again.end();
      }
    });

    test('control: a call that is refused fails the block', async () => {
      const strict = startShell(environment);
      await expect(strict.paste('curl -s "$API/partner/venues"')).rejects.toThrow('INVALID_API_KEY');
      await strict.end();
    });

    test('control: another form of a response is noticed', () => {
      const answer = { count: 1, data: [{ id: 'a', price: 2 }] };
      expect(formOf(answer)).toEqual(formOf({ count: 9, data: [{ id: 'b', price: 3 }, {}] }));
      expect(formOf(answer)).not.toEqual(formOf({ count: 1, data: [{ id: 'a', price: '2' }] }));
      expect(formOf(answer)).not.toEqual(formOf({ count: 1, data: [{ id: 'a' }] }));
    });
  },
);

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
