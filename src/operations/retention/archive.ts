import type { Config } from '../../process/config/config.ts';

/** Where rows are kept once they are deleted: named objects that are written once and never changed. */
export type Archive = {
  /** Resolves once the object stays, whatever is switched off from then on. Rejects, as `list` does, where there is no archive. */
  put(name: string, content: Buffer, signal: AbortSignal): Promise<void>;
  /** The names of all objects that begin with `prefix`, which ends with a slash. */
  list(prefix: string, signal: AbortSignal): Promise<string[]>;
  /** Undefined where there is no such object. */
  get(name: string, signal: AbortSignal): Promise<Buffer | undefined>;
};

export type ArchiveConfig = Pick<
  Config,
  'archiveEndpoint' | 'archiveRegion' | 'archiveAccessKeyId' | 'archiveSecretAccessKey'
>;
