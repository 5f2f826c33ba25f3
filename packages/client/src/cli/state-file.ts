import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, EXIT, usageError } from './command-error.ts';
import { replaceFile } from './report-files.ts';
import type { World } from './world.ts';

/** An event that was sent but is not done. */
export type Attempted = {
  event_id: string;
  attempts: number;
  /** False if no attempt reached the endpoint. */
  may_have_arrived: boolean;
};

/** The position of `listen` in the feed, and its secret. */
export type ListenState = {
  version: 1;
  base_url: string;
  partner_id: string;
  secret: string;
  /** The cursor of the current page; null before the first page is done. */
  cursor: string | null;
  /** The start of the feed while there is no cursor. */
  since: string | null;
  /** The events of the current page that are done. */
  handled: string[];
  attempted: Attempted | null;
};

export type StateStore = {
  readonly file: string;
  readonly state: Readonly<ListenState>;
  /** Replaces the file atomically. */
  update(change: Partial<ListenState>): Promise<void>;
};

/** The state in `file`; undefined without a file. @throws CommandError if it is unreadable or not a state */
export async function readState(file: string): Promise<StateStore | undefined> {
  const text = await readFile(file, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return undefined;
    throw usageError(`--state: ${file} cannot be read (${failure.code ?? 'unknown reason'}).`);
  });
  if (text === undefined) return undefined;
  const state = stateIn(text);
  if (state === undefined)
    throw usageError(`--state: ${file} is not a state of this command. Name another file, or remove it.`);
  return storeOf(file, state);
}

export async function createState(file: string, state: ListenState): Promise<StateStore> {
  await writeWhole(file, state);
  return storeOf(file, state);
}

function storeOf(file: string, initial: ListenState): StateStore {
  let state = initial;
  return {
    file,
    get state() {
      return state;
    },
    update: async (change) => {
      const next = { ...state, ...change };
      await writeWhole(file, next);
      state = next;
    },
  };
}

async function writeWhole(file: string, state: ListenState): Promise<void> {
  try {
    await replaceFile(file, `${JSON.stringify(state, null, 2)}\n`, 0o600);
  } catch (failure) {
    const { code = 'unknown reason' } = failure as NodeJS.ErrnoException;
    throw new CommandError(
      `--state: ${file} cannot be written (${code}), so listen forwards nothing more. Correct this, then start again.`,
      EXIT.refused,
      failure,
    );
  }
}

function stateIn(text: string): ListenState | undefined {
  try {
    const state = JSON.parse(text) as ListenState;
    const isOurs = state.version === 1 && typeof state.secret === 'string' && Array.isArray(state.handled);
    return isOurs ? state : undefined;
  } catch {
    return undefined;
  }
}

export type Owner = { baseUrl: string; partnerId: string };

/** The file of `--state`, or the default file of this partner and service. */
export function stateFileOf({ environment }: World, { baseUrl, partnerId }: Owner, option: string | undefined): string {
  if (option !== undefined) return path.resolve(option);
  const host = new URL(baseUrl).host.replaceAll(/[^a-zA-Z0-9.-]/g, '_');
  return path.join(environment.stateFolder, `listen-${host}-${partnerId}.json`);
}

/** @throws CommandError if the state belongs to another partner or service */
export function requireOwner(file: string, state: ListenState, { baseUrl, partnerId }: Owner): void {
  if (state.base_url === baseUrl && state.partner_id === partnerId) return;
  throw usageError(
    `--state: ${file} is of partner ${state.partner_id} at ${state.base_url}, and you are ${partnerId} at ${baseUrl}. Name another file.`,
  );
}
