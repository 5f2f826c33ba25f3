import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createPartnerClient, type PartnerClient } from 'partner-booking-client';

const { SANDBOX_URL: sandboxUrl = '', SANDBOX_API_KEY: apiKey = '' } = process.env;

/** Why what needs a sandbox is skipped; false where there is one. */
export const skip =
  sandboxUrl === '' || apiKey === '' ? 'set SANDBOX_URL and SANDBOX_API_KEY of a sandbox with a venue' : false;

/** Things to end after the tests of a file, last first. */
const releases: (() => unknown)[] = [];
after(async () => {
  for (const release of releases.reverse()) await release();
});

/** The sandbox itself, past the shop. */
export const sandbox = (): PartnerClient => createPartnerClient({ baseUrl: sandboxUrl, apiKey });

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'box-office-'));
  releases.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits until `check` resolves to something else than undefined and false. */
export async function eventually<T>(what: string, check: () => Promise<T | undefined | false>): Promise<T> {
  for (const endsAt = performance.now() + 30_000; performance.now() < endsAt; await delay(50)) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`Waited 30 s for: ${what}`);
}

export type Shop = {
  url: string;
  /** Where the actions of the certification are. */
  actionsUrl: string;
  /** What an action of the certification returns. */
  act<Result = Record<string, unknown>>(action: string, given?: object): Promise<Result>;
  /** All that it has said on stderr. */
  said(): string;
  kill(): Promise<void>;
  /** Ends it as an operator would. */
  stop(): Promise<number | null>;
};

/**
 * The shop as a process of its own, with its pages and the actions of the certification. With `fileBlocks` no file of it can have more
 * than so many times 512 bytes, as if the disk was full.
 */
export async function startShop(
  folder: string,
  environment: Record<string, string> = {},
  { fileBlocks }: { fileBlocks?: number } = {},
): Promise<Shop> {
  const { PATH = '', HOME = '' } = process.env;
  const limit = fileBlocks === undefined ? '' : `ulimit -S -f ${fileBlocks}; `;
  const program = [process.execPath, '--import', 'tsx', 'src/main.ts'];
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, ...program], {
    cwd: path.resolve(import.meta.dirname, '..'),
    env: {
      PATH,
      HOME,
      PORT: '0',
      DATA_DIR: folder,
      PARTNER_BASE_URL: sandboxUrl,
      PARTNER_API_KEY: apiKey,
      CERTIFICATION_PORT: '0',
      CATCH_UP_SECONDS: '3600',
      AVAILABILITY_MAX_AGE_SECONDS: '3600',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const exited = once(child, 'close') as Promise<[number | null]>;
  releases.push(() => child.kill('SIGKILL'));
  const { url, actionsUrl } = await Promise.race([
    addressesOf(child),
    exited.then(([code]) => Promise.reject(new Error(`The shop ended with ${code}: ${said}`))),
  ]);
  return {
    url,
    actionsUrl,
    said: () => said,
    act: async <Result>(action: string, given: object = {}) => {
      const response = await fetch(`${actionsUrl}/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(given),
      });
      return (await response.json()) as Result;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
}

/** The addresses that the shop prints; that of its pages comes last. */
function addressesOf({ stdout }: ChildProcess): Promise<Pick<Shop, 'url' | 'actionsUrl'>> {
  let told = '';
  return new Promise((resolve) => {
    stdout?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      const [, url] = /open at (\S+)/.exec(told) ?? [];
      const [, actionsUrl = ''] = /certification are at (\S+)/.exec(told) ?? [];
      if (url !== undefined) resolve({ url, actionsUrl });
    });
  });
}

/** A browser without a script: it keeps the cookie, and shows what a redirect leads to. */
export function visitor(url: string) {
  let cookie = '';
  const go = async (
    to: string,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; path: string; text: string }> => {
    const response = await fetch(new URL(to, url), {
      redirect: 'manual',
      headers: { cookie, ...headers },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const location = response.headers.get('location');
    if (location !== null) return go(location);
    return { status: response.status, path: to, text: await response.text() };
  };
  return go;
}

/** The hidden fields of the form that a page has around a text. */
export function formWith(page: string, text: string): Record<string, string> {
  const form = page.split('<form').find((each) => each.includes(text));
  if (form === undefined) throw new Error(`The page has no form with ${text}`);
  return Object.fromEntries(
    [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

export type Relay = {
  url: string;
  /** The next call of this path has its effect, and its answer is never sent. Resolves when the service has answered. */
  loseAnswerOf(path: string): Promise<void>;
  /** Nothing passes while it is down. */
  isDown: boolean;
  /** What every call is answered with, and none is passed on, as long as it is there. */
  answer: { status: number; body: string } | undefined;
  /** Takes it down, and ends the calls whose answers were lost. */
  cut(): void;
  /** The paths of all calls, also of those that did not pass. */
  asked: string[];
  /** Bodies of the calls that were passed on, by path. */
  passed: { path: string; body: string }[];
};

/** Stands between the shop and the sandbox. */
export async function startRelay(): Promise<Relay> {
  const lost: { path: string; resolve: () => void }[] = [];
  const hanging: Socket[] = [];
  const relay: Relay = {
    url: '',
    isDown: false,
    answer: undefined,
    asked: [],
    passed: [],
    cut: () => {
      relay.isDown = true;
      for (const socket of hanging.splice(0)) socket.destroy();
    },
    loseAnswerOf: (lostPath) => new Promise((resolve) => void lost.push({ path: lostPath, resolve })),
  };
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    relay.asked.push(request.url ?? '');
    if (relay.isDown) return void request.socket.destroy();
    if (relay.answer !== undefined) return void response.writeHead(relay.answer.status).end(relay.answer.body);
    const { method = 'GET', url: target = '/' } = request;
    const body = Buffer.concat(chunks);
    relay.passed.push({ path: target, body: body.toString() });
    const answer = await fetch(new URL(target, sandboxUrl), {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body.length > 0 && { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const index = lost.findIndex((each) => target.startsWith(each.path));
    if (index >= 0) {
      hanging.push(request.socket);
      return lost.splice(index, 1)[0]?.resolve();
    }
    const date = answer.headers.get('date') ?? '';
    response.writeHead(answer.status, { 'content-type': 'application/json', date }).end(bytes);
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  releases.push(() => {
    server.close();
    server.closeAllConnections();
  });
  relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return relay;
}

/** Sends an event as the service does; returns the status that it is answered with. */
export async function deliver(
  { url }: Shop,
  event: object,
  { secret, previous, age = 0 }: { secret: string; previous?: string; age?: number },
): Promise<number> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1000) - age);
  const signed = (key: string) => `sha256=${createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')}`;
  const headers = {
    ...{ 'content-type': 'application/json', 'x-service-timestamp': timestamp, 'x-service-signature': signed(secret) },
    ...(previous !== undefined && { 'x-service-signature-previous': signed(previous) }),
  };
  return (await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status;
}
