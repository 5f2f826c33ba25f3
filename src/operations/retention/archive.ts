import { hash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AwsClient } from 'aws4fetch';
import { withDeadline } from '../../platform/deadline.ts';
import { makeFolderDurably, PART, writeWhole } from '../../platform/durable-files.ts';
import type { Config } from '../../process/config/config.ts';

/** Keeps rows after they are deleted: named objects that are written once and never changed. */
export type Archive = {
  /** Resolves once the object is durable. Rejects, like `list`, if there is no archive. */
  put(name: string, content: Buffer, signal: AbortSignal): Promise<void>;
  /** The names of all objects that begin with `prefix`, which ends with a slash. */
  list(prefix: string, signal: AbortSignal): Promise<string[]>;
  get(name: string, signal: AbortSignal): Promise<Buffer | undefined>;
};

type ArchiveConfig = Pick<Config, Extract<keyof Config, `archive${string}`>>;

export function openArchive(url: string, config: ArchiveConfig): Archive {
  return url.startsWith('s3:') ? createS3Archive(url, config) : createFileArchive(url);
}

/**
 * An archive in a folder that only this user can read; each object is a file. The folder itself is never created, so
 * that an archive on an unmounted disk is not written to the disk below.
 */
function createFileArchive(url: string): Archive {
  const root = fileURLToPath(url);
  return {
    put: async (name, content) => {
      await requireFolder(root);
      const file = path.join(root, name);
      await makeFolderDurably(path.dirname(file));
      await writeWhole(file, content);
    },
    list: async (prefix) => {
      await requireFolder(root);
      const names = (await unlessAbsent(readdir(path.join(root, prefix), { recursive: true }))) ?? [];
      return names.filter((name) => !name.endsWith(PART)).map((name) => path.posix.join(prefix, name));
    },
    get: (name, signal) => unlessAbsent(readFile(path.join(root, name), { signal })),
  };
}

async function requireFolder(root: string): Promise<void> {
  const stats = await unlessAbsent(stat(root));
  if (stats === undefined)
    throw new Error(`The folder ${root} is missing: mount or create it; the service does not create it`);
  if (!stats.isDirectory()) throw new Error(`${root} is no folder: the archive must be one`);
}

async function unlessAbsent<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw err;
  }
}

/** How often a call is repeated after a 5xx or a 429, with doubling waits. */
const RETRIES = 3;
const TIMEOUT_MS = 30_000;

/** An archive in an existing bucket of S3, or of a compatible store at `archiveEndpoint`. */
function createS3Archive(url: string, config: ArchiveConfig): Archive {
  const { archiveRegion: region, archiveAccessKeyId = '', archiveSecretAccessKey = '' } = config;
  const endpoint = config.archiveEndpoint ?? `https://s3.${region}.amazonaws.com`;
  const { host: bucket, pathname } = new URL(url);
  const folder = pathname.replace(/^\/+|\/+$/g, '');
  const keyOf = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  // Put the bucket in the path: every store accepts that, even if its certificate lacks the bucket's name.
  const addressOf = (name: string) => `${endpoint.replace(/\/+$/, '')}/${bucket}/${name}`;
  const client = new AwsClient({
    accessKeyId: archiveAccessKeyId,
    secretAccessKey: archiveSecretAccessKey,
    service: 's3',
    region,
    retries: RETRIES,
  });
  /** The body of a response with status 200; undefined if the object is missing. */
  const send = async (
    method: string,
    address: string,
    stopping: AbortSignal,
    body?: Buffer,
  ): Promise<Buffer | undefined> => {
    // With the hash, the store rejects content that was damaged on the way.
    const headers = { 'X-Amz-Content-Sha256': hash('sha256', body ?? '') };
    const content = body === undefined ? {} : { body: new Uint8Array(body) };
    const request = async (signal: AbortSignal) => {
      const response = await client.fetch(address, { method, headers, signal, ...content });
      return { status: response.status, received: Buffer.from(await response.arrayBuffer()) };
    };
    const { status, received } = await withDeadline(TIMEOUT_MS, request, stopping).catch((err: Error) => {
      if (stopping.aborted) throw err;
      const { host } = new URL(endpoint);
      throw new Error(`The archive at ${host} does not respond: ${causeOf(err)}`, { cause: err });
    });
    if (status === 200) return received;
    // Do not use the error's message, because it may quote the request.
    const [code] = textsOf(String(received), 'Code');
    if (status === 404 && code === 'NoSuchKey') return undefined;
    throw new Error(`The archive responds ${status} to ${method}${code === undefined ? '' : `: ${code}`}`);
  };
  return {
    put: async (name, content, signal) => void (await send('PUT', addressOf(keyOf(name)), signal, content)),
    get: (name, signal) => send('GET', addressOf(keyOf(name)), signal),
    list: async (prefix, signal) => {
      const names: string[] = [];
      for (let token: string | undefined; ; ) {
        const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', prefix: keyOf(prefix) });
        if (token !== undefined) query.set('continuation-token', token);
        const page = String(await send('GET', `${addressOf('')}?${query.toString()}`, signal));
        names.push(...textsOf(page, 'Key').map((key) => decodeKey(key).slice(keyOf('').length)));
        [token] = textsOf(page, 'NextContinuationToken');
        if (token === undefined) return names;
      }
    },
  };
}

/** The raw texts of all elements of that name: keys are percent-encoded; tokens and codes need no unescaping. */
const textsOf = (xml: string, element: string): string[] =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text = '']) => text);

const decodeKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '));

/** Why there was no response: `fetch` itself only says that it failed. */
function causeOf({ cause, message }: Error): string {
  const { code, message: deeper } = (cause ?? {}) as NodeJS.ErrnoException;
  return code ?? deeper ?? message;
}
