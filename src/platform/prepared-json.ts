import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** JSON that is sent as it is, whoever asks for it and however often; what is made of it is made once. */
export type PreparedJson = {
  readonly bytes: Buffer;
  /** In gzip. Made in another thread, when it is first asked for. */
  compressed(): Promise<Buffer>;
  /** Its ETag, by the function that is given first. */
  tag(make: (bytes: Buffer) => string): string;
};

const prepared = new WeakSet<object>();

/** `text`: JSON. */
export function prepareJson(text: string): PreparedJson {
  const bytes = Buffer.from(text);
  let compressed: Promise<Buffer> | undefined;
  let tag: string | undefined;
  const json: PreparedJson = {
    bytes,
    compressed: () => (compressed ??= compress(bytes)),
    tag: (make) => (tag ??= make(bytes)),
  };
  prepared.add(json);
  return json;
}

export const isPreparedJson = (body: unknown): body is PreparedJson =>
  typeof body === 'object' && body !== null && prepared.has(body);
