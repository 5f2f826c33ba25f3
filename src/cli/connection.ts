import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseUrl } from '../platform/parse-url.ts';
import type { OperatorEnvironment } from '../process/config/environment.ts';
import { type CallApi, createClient } from './client.ts';
import { usageError } from './errors.ts';
import { readTextFile } from './request.ts';
import { isObject, parseJson } from './values.ts';

export type ConnectionOptions = { url?: string; key?: string; keyFile?: string };

/**
 * Returns a function that calls the operator API. The address: `--url`, else OPERATOR_URL, else this machine's admin
 * port. The key: `--key-file`, else `--key`, else OPERATOR_API_KEY, else, if no address is given, the key that
 * `npm start` stored in its data folder.
 * @throws CommandError (exit code 2) that names the missing option and contains no key
 */
export async function connect(
  options: ConnectionOptions,
  environment: OperatorEnvironment,
  interrupted: AbortSignal,
): Promise<CallApi> {
  const givenUrl = options.url ?? environment.url;
  const url = checkedUrl(givenUrl ?? `http://127.0.0.1:${environment.adminPort}`);
  const apiKey = await findKey(options, environment, givenUrl === undefined);
  // With other characters, fetch would quote the whole key in its error.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw usageError('The operator key contains characters that are not allowed in a key.');
  return createClient(url, apiKey, interrupted);
}

function checkedUrl(text: string): string {
  const url = parseUrl(text);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(
      `${text} is not a valid address. Give one such as http://127.0.0.1:3001 with --url or OPERATOR_URL.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('The address must not contain a user or a password.');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

async function findKey(
  { key, keyFile }: ConnectionOptions,
  environment: OperatorEnvironment,
  isThisMachine: boolean,
): Promise<string> {
  if (keyFile !== undefined) return keyInFile(keyFile);
  const givenKey = key ?? environment.apiKey;
  if (givenKey !== undefined) return givenKey.trim();
  const secrets = path.join(environment.dataDir, 'secrets.json');
  const storedKey = isThisMachine ? await readStoredKey(secrets) : undefined;
  if (storedKey !== undefined) return storedKey;
  const alsoMissing = isThisMachine ? ` There is no key of npm start in ${secrets} either.` : '';
  throw usageError(
    `No operator key was given. Set OPERATOR_API_KEY, or name a file that contains the key with --key-file.${alsoMissing}`,
  );
}

async function keyInFile(file: string): Promise<string> {
  const key = (await readTextFile(file)).trim();
  if (key === '') throw usageError(`The key file ${file} is empty.`);
  return key;
}

/** Undefined if the file is missing or has no key. */
async function readStoredKey(file: string): Promise<string | undefined> {
  const secrets = parseJson(await readFile(file, 'utf8').catch(() => ''));
  const key = isObject(secrets) ? secrets['operatorApiKey'] : undefined;
  return typeof key === 'string' && key !== '' ? key : undefined;
}
