import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { faultOfAddress } from '../certification/addresses.ts';
import type { ClientOptions, PartnerClient } from '../client.ts';
import { createPartnerClient } from '../client.ts';
import { PartnerApiError } from '../errors.ts';
import { withKnownShapes } from './answers.ts';
import type { ResponseHead } from './command-error.ts';
import { asCommandError, CommandError, interruption, notTheService, usageError } from './command-error.ts';
import { waitNote } from './service-patience.ts';
import type { World } from './world.ts';
import { writeNote } from './world.ts';

export type GlobalOptions = { baseUrl?: string; keyFile?: string; json?: boolean };

export type Connection = {
  /** Without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  client: PartnerClient;
  /** The newest response; undefined if the newest call got none. */
  newest(): ResponseHead | undefined;
  /** A header of the newest response; null if there is none. */
  newestHeader(name: string): string | null;
};

const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';

/**
 * The service at `--base-url`, PARTNER_BASE_URL or on this machine, with the key of `--key-file` or PARTNER_API_KEY.
 * @throws CommandError (exit code 2) that names the missing or invalid option, never the key
 */
async function connect(
  command: Command,
  world: World,
  clientOptions: Partial<ClientOptions> = {},
): Promise<Connection> {
  const { environment } = world;
  const options = command.optsWithGlobals<GlobalOptions>();
  const [option, text] =
    options.baseUrl === undefined
      ? ['PARTNER_BASE_URL', environment.baseUrl || DEFAULT_BASE_URL]
      : ['--base-url', options.baseUrl];
  const address = new URL(checkedAddress(text, option, DEFAULT_BASE_URL));
  if (address.search !== '') throw usageError(`${option}: the address must not have a query. Leave it out.`);
  const baseUrl = address.href.replace(/\/+$/, '');
  const apiKey = await findKey(options.keyFile, environment.apiKey);
  let newest: Response | undefined;
  const client = createPartnerClient({
    baseUrl,
    apiKey,
    fetch: async (request) => {
      newest = undefined;
      newest = await fetch(request);
      return newest;
    },
    ...clientOptions,
    retries: {
      onWait: (waitMs, failure) => {
        const note = waitNote(waitMs, failure);
        if (note !== undefined) writeNote(world, note, 'yellow');
      },
      ...clientOptions.retries,
    },
  });
  const createError = ([fault]: readonly string[]) =>
    notTheService(baseUrl, newest ?? { status: 200 }, `body: ${fault}`);
  return {
    baseUrl,
    apiKey,
    client: withKnownShapes(client, createError),
    newest: () => newest,
    newestHeader: (name) => newest?.headers.get(name) ?? null,
  };
}

/** Runs `work` with the service. Turns error responses and connection failures into CommandErrors. */
export async function withService<Result>(
  command: Command,
  world: World,
  work: (connection: Connection) => Promise<Result>,
  clientOptions?: Partial<ClientOptions>,
): Promise<Result> {
  const connection = await connect(command, world, clientOptions);
  try {
    return await work(connection);
  } catch (failure) {
    if (failure instanceof CommandError) throw failure;
    if (world.interrupted.aborted) throw interruption();
    throw asCommandError(failure, connection.baseUrl, connection.newest());
  }
}

/** The address without its fragment. @throws CommandError if fetch cannot call the address; never quotes it */
export function checkedAddress(text: string, option: string, example: string): string {
  const fault = faultOfAddress(text);
  if (fault !== undefined) throw usageError(`${option}: ${fault}. Give an address such as ${example}.`);
  const url = new URL(text);
  url.hash = '';
  return url.href;
}

async function findKey(keyFile: string | undefined, fromEnvironment: string | undefined): Promise<string> {
  const key = keyFile === undefined ? fromEnvironment?.trim() : await secretInFile(keyFile, '--key-file');
  if (key === undefined || key === '')
    throw usageError(
      'No API key was given. Set PARTNER_API_KEY, or name a file that contains the key with --key-file.',
    );
  // The error of fetch would quote the whole key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw usageError('The API key has characters that keys cannot have. Copy it again.');
  return key;
}

/** @throws CommandError that names the option and the file */
export async function secretInFile(file: string, option: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    throw usageError(`${option}: ${file} cannot be read (${failure.code ?? 'unknown reason'}).`);
  });
  if (text.trim() === '') throw usageError(`${option}: ${file} is empty.`);
  return text.trim();
}

export const idempotencyKeyFrom = (option: string | undefined): string => option ?? randomUUID();

/** If the outcome of the call is unknown, prints the arguments with which to repeat the command. */
export async function printKeyIfUnknown<Result>(
  world: World,
  repeatArguments: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (failure) {
    // Any failure but a rejection, even an interruption, leaves the outcome unknown.
    const isRefused = failure instanceof PartnerApiError && failure.status < 500;
    if (!isRefused)
      writeNote(
        world,
        `The outcome of the call is unknown. Repeat it with ${repeatArguments}: it then takes effect only once.`,
      );
    throw failure;
  }
}
