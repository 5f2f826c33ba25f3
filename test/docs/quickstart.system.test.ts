import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hasEnded } from '../../src/development/embedded/server-process.ts';
import { signDelivery } from '../../src/webhooks/sender/signature.rules.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import { freePort } from '../support/own-servers.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';
import { blocksOf } from './documents.ts';
import { reasonToSkip } from './programs.ts';

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

/** A rejected call (4xx, 5xx) ends the shell like a failed command. */
const STRICT = 'set -euo pipefail; curl() { command curl --fail-with-body "$@"; }\n';

/** A shell in a folder, in its own process group. Commands are pasted block by block, as a reader of a guide does. */
function startShell(cwd: string, environment: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env;
  const shell = spawn('bash', ['--norc', '--noprofile'], {
    cwd,
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const printed: string[] = [];
  const closed = once(shell, 'close');
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => void printed.push(chunk.toString()));
  }
  // A failed shell accepts no more input.
  shell.stdin.on('error', () => undefined);
  shell.stdin.write(STRICT);
  const output = (): string => printed.join('');
  let blocks = 0;
  return {
    /** Everything printed so far, including by background jobs. */
    output,
    /** Runs a block; returns its output. Rejects if a command or call fails, which ends the shell. */
    paste: async (block: string) => {
      blocks += 1;
      const marker = `<<end of block ${blocks}>>`;
      const before = output().length;
      shell.stdin.write(`${block}\nprintf '\\n%s\\n' '${marker}'\n`);
      await eventually(marker, () => hasEnded(shell) || output().includes(marker));
      const text = output().slice(before);
      if (!text.includes(marker)) throw new Error(`The block failed:\n${block}\n${text}`);
      return text.slice(0, text.indexOf(marker));
    },
    /** Ends the shell and its children. */
    end: async () => {
      if (shell.pid !== undefined && !hasEnded(shell)) process.kill(-shell.pid, 'SIGKILL');
      await closed;
    },
  };
}

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

    test('has a receiver that rejects forged, stale and unsigned webhooks, and continues', async () => {
      const folder = await temporaryFolder();
      const PORT = String(await freePort());
      const SECRET_KEY = 'whsec_any';
      const shell = startShell(folder, { PORT, SECRET_KEY });
      try {
        const receiver = blocksOf({ text: page }).find(({ text }) => text.startsWith('cat > receiver.mjs'));
        await shell.paste(`${receiver?.text}\nnode receiver.mjs &`);
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
