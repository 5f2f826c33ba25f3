import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { withDeadline } from '../../platform/deadline.ts';
import type { Archive, ArchiveConfig } from './archive.ts';

/** How often a call that met a 5xx or a 429 is repeated, after waits that double. */
const RETRIES = 3;
const TIMEOUT_MS = 30_000;

/** An archive in a bucket of S3, or of a store that speaks its protocol at `archiveEndpoint`. The bucket must be there. */
export function createS3Archive(url: string, config: ArchiveConfig): Archive {
  const { archiveRegion: region, archiveAccessKeyId = '', archiveSecretAccessKey = '' } = config;
  const endpoint = config.archiveEndpoint ?? `https://s3.${region}.amazonaws.com`;
  const { host: bucket, pathname } = new URL(url);
  const folder = pathname.replace(/^\/+|\/+$/g, '');
  const keyOf = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  // The bucket in the path: every such store takes that, and its certificate need not have the bucket's name.
  const at = (name: string) => `${endpoint.replace(/\/+$/, '')}/${bucket}/${name}`;
  const client = new AwsClient({
    ...{ accessKeyId: archiveAccessKeyId, secretAccessKey: archiveSecretAccessKey },
    ...{ service: 's3', region, retries: RETRIES },
  });
  const send = async (method: string, address: string, stopping: AbortSignal, body?: Buffer) => {
    // Of what is sent, so that the store rejects what has not arrived as it was.
    const headers = {
      'X-Amz-Content-Sha256': createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
    };
    const content = body === undefined ? {} : { body: new Uint8Array(body) };
    try {
      return await withDeadline(
        TIMEOUT_MS,
        async (signal) => {
          const response = await client.fetch(address, { method, headers, signal, ...content });
          return { status: response.status, received: Buffer.from(await response.arrayBuffer()) };
        },
        stopping,
      );
    } catch (err) {
      if (stopping.aborted) throw err;
      const { host } = new URL(endpoint);
      throw new Error(`The archive at ${host} does not respond: ${causeOf(err as Error)}`, { cause: err });
    }
  };
  const call = async (...request: Parameters<typeof send>): Promise<Buffer> =>
    requireOk(request[0], await send(...request));
  return {
    put: async (name, content, signal) => void (await call('PUT', at(keyOf(name)), signal, content)),
    get: async (name, signal) => {
      const response = await send('GET', at(keyOf(name)), signal);
      if (response.status === 404 && codeIn(response.received) === 'NoSuchKey') return undefined;
      return requireOk('GET', response);
    },
    list: async (prefix, signal) => {
      const names: string[] = [];
      for (let token: string | undefined; ; ) {
        const query = new URLSearchParams({
          'list-type': '2',
          'encoding-type': 'url',
          prefix: keyOf(prefix),
        });
        if (token !== undefined) query.set('continuation-token', token);
        const page = String(await call('GET', `${at('')}?${query.toString()}`, signal));
        names.push(...textsOf(page, 'Key').map((key) => decodeKey(key).slice(keyOf('').length)));
        [token] = textsOf(page, 'NextContinuationToken');
        if (token === undefined) return names;
      }
    },
  };
}

/** The texts of all elements of that name. Keys come percent-encoded, and nothing else that is read has characters to escape. */
const textsOf = (xml: string, element: string): string[] =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text = '']) => text);

const decodeKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '));

function requireOk(method: string, { status, received }: { status: number; received: Buffer }): Buffer {
  if (status === 200) return received;
  const code = codeIn(received);
  throw new Error(`The archive responds ${status} to ${method}${code === undefined ? '' : `: ${code}`}`);
}

/** The code of an error as the store names it; its message may quote the request. */
const codeIn = (body: Buffer): string | undefined => textsOf(String(body), 'Code')[0];

/** Why nothing came back: `fetch` itself says no more than that it failed. */
function causeOf({ cause, message }: Error): string {
  const { code, message: deeper } = (cause ?? {}) as NodeJS.ErrnoException;
  return code ?? deeper ?? message;
}
