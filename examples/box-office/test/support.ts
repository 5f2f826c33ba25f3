import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createPartnerClient, type PartnerClient } from 'partner-booking-client';

export const { SANDBOX_URL: sandboxUrl = '', SANDBOX_API_KEY: apiKey = '' } = process.env;

/** Why tests that need a sandbox are skipped; false if there is one. */
export const skip =
  sandboxUrl === '' || apiKey === '' ? 'set SANDBOX_URL and SANDBOX_API_KEY of a sandbox with a venue' : false;

/** Clean-ups after the tests of a file, in reverse order. */
export const releases: (() => unknown)[] = [];
after(async () => {
  for (const release of releases.reverse()) await release();
});

/** A client that calls the sandbox directly. */
export const sandbox = (): PartnerClient => createPartnerClient({ baseUrl: sandboxUrl, apiKey });

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'box-office-'));
  releases.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits until `check` resolves to a value other than undefined or false. */
export async function eventually<T>(what: string, check: () => Promise<T | undefined | false>): Promise<T> {
  for (const endsAt = performance.now() + 30_000; performance.now() < endsAt; await delay(50)) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`Waited 30 s for: ${what}`);
}

export type Shop = {
  url: string;
  /** The address of the certification actions. */
  actionsUrl: string;
  /** Calls a certification action and returns its result. */
  act<Result = Record<string, unknown>>(action: string, input?: object): Promise<Result>;
  /** The output on stderr so far. */
  stderr(): string;
  kill(): Promise<void>;
  /** Sends SIGTERM, and returns the exit code. */
  stop(): Promise<number | null>;
};

/**
 * Starts the shop as a process, with its pages and certification actions. `fileBlocks` simulates a full disk: it limits
 * each file to that many blocks of 512 bytes.
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
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const exited = once(child, 'close') as Promise<[number | null]>;
  releases.push(() => child.kill('SIGKILL'));
  const { url, actionsUrl } = await Promise.race([
    addressesOf(child),
    exited.then(([code]) => Promise.reject(new Error(`The shop ended with ${code}: ${stderr}`))),
  ]);
  return {
    url,
    actionsUrl,
    stderr: () => stderr,
    act: async <Result>(action: string, input: object = {}) => {
      const response = await fetch(`${actionsUrl}/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
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

/** The addresses that the shop prints. The pages' address comes last. */
function addressesOf({ stdout }: ChildProcess): Promise<Pick<Shop, 'url' | 'actionsUrl'>> {
  let output = '';
  return new Promise((resolve) => {
    stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, url] = /open at (\S+)/.exec(output) ?? [];
      const [, actionsUrl = ''] = /certification are at (\S+)/.exec(output) ?? [];
      if (url !== undefined) resolve({ url, actionsUrl });
    });
  });
}

/** A browser without scripts: keeps the cookie and follows redirects. */
export function visitor(url: string) {
  let cookie = '';
  const go = async (
    target: string,
    form?: Record<string, string>,
  ): Promise<{ status: number; path: string; text: string }> => {
    const response = await fetch(new URL(target, url), {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const location = response.headers.get('location');
    if (location !== null) return go(location);
    return { status: response.status, path: target, text: await response.text() };
  };
  return go;
}

/** The hidden fields of the form that contains `text`. */
export function formWith(page: string, text: string): Record<string, string> {
  const form = page.split('<form').find((each) => each.includes(text));
  if (form === undefined) throw new Error(`The page has no form with ${text}`);
  return Object.fromEntries(
    [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** Delivers a signed event like the service. Returns the response status. */
export async function deliver({ url }: Shop, event: object, secret: string): Promise<number> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-service-timestamp': timestamp,
    'x-service-signature': `sha256=${digest}`,
  };
  return (await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status;
}
