import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** A JSON body; its gzip form and ETag are made once. */
export class PreparedJson {
  readonly bytes: Buffer;
  #compressed: Promise<Buffer> | undefined;
  #etag: string | undefined;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
  }

  /** The gzip form, made in another thread. */
  compressed(): Promise<Buffer> {
    return (this.#compressed ??= compress(this.bytes));
  }

  etag(make: (bytes: Buffer) => string): string {
    return (this.#etag ??= make(this.bytes));
  }
}
