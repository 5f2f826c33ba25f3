import type { Config } from '../config/config.ts';

/** Where rows are kept once they are deleted: named objects that are written once and never changed. */
export type Archive = {
  /** Resolves once the object stays, whatever is switched off from then on. */
  put(name: string, content: Buffer, signal: AbortSignal): Promise<void>;
  /** The names of all objects that begin with `prefix`, which ends with a slash. */
  list(prefix: string, signal: AbortSignal): Promise<string[]>;
  get(name: string, signal: AbortSignal): Promise<Buffer>;
};

export type ArchiveConfig = Pick<
  Config,
  'archiveEndpoint' | 'archiveRegion' | 'archiveAccessKeyId' | 'archiveSecretAccessKey'
>;
