import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, EXIT, usageError } from './command-error.ts';
import { replaceFile } from './report-files.ts';
import type { World } from './world.ts';

/** An event that was sent to the endpoint, and is not done with. */
export type Attempted = {
  event_id: string;
  attempts: number;
  /** False where every attempt is known not to have reached the endpoint. */
  may_have_arrived: boolean;
};

/** What `listen` keeps: how far it is, and with what it signs. */
export type ListenState = {
  version: 1;
  base_url: string;
  partner_id: string;
  /** Made at the first start. */
  secret: string;
  /** Where the page that is being forwarded begins; null before the first page is done. */
  cursor: string | null;
  /** Where the feed begins while there is no cursor. */
  since: string | null;
  /** Events of that page that are done with. */
  handled: string[];
  attempted: Attempted | null;
};

/** The state in a file, as it is on disk. */
export type StateStore = {
  readonly file: string;
  readonly state: Readonly<ListenState>;
  /** Resolves once the file has the change, whole: whoever reads it finds the state before or after, never a part. */
  update(change: Partial<ListenState>): Promise<void>;
};

/** The state in `file`; undefined where there is no such file. @throws CommandError where it is something else */
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

/** Writes a first state, in a folder that is there. */
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

/** The secret is for its owner alone. */
async function writeWhole(file: string, state: ListenState): Promise<void> {
  try {
    await replaceFile(file, `${JSON.stringify(state, null, 2)}\n`, 0o600);
  } catch (failure) {
    const { code = 'unknown reason' } = failure as NodeJS.ErrnoException;
    throw new CommandError(
      `--state: ${file} cannot be written (${code}), and what is not noted down is not forwarded. Start again where that is put right.`,
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

/** Who a state belongs to. */
export type Owner = { baseUrl: string; partnerId: string };

/** The file of `--state`, else one of this partner at this service in the user's folder for states. */
export function stateFileOf(
  { environment }: World,
  { baseUrl, partnerId }: Owner,
  given: string | undefined,
): string {
  if (given !== undefined) return path.resolve(given);
  const host = new URL(baseUrl).host.replaceAll(/[^a-zA-Z0-9.-]/g, '_');
  return path.join(environment.stateFolder, `listen-${host}-${partnerId}.json`);
}

/** @throws CommandError where the state is of another partner or of another service: its cursor says nothing there */
export function requireOwner(file: string, state: ListenState, { baseUrl, partnerId }: Owner): void {
  if (state.base_url === baseUrl && state.partner_id === partnerId) return;
  throw usageError(
    `--state: ${file} is of partner ${state.partner_id} at ${state.base_url}, and you are ${partnerId} at ${baseUrl}. Name another file.`,
  );
}
