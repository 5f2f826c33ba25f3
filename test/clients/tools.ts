import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { test } from '@jest/globals';
import { pythonEnvironment } from '../../scripts/python-environment.ts';
import { cacheFolder, withScratchFolder } from '../../src/development/embedded/binary-cache.ts';
import { reasonToSkip } from '../docs/programs.ts';
import { eventually } from '../support/eventually.ts';

const execute = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

type Options = { cwd?: string; env?: Record<string, string> };

/** Runs a program; returns its output. @throws Error with the output if the program fails */
export async function run(program: string, args: readonly string[], { cwd, env }: Options = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: MAX_OUTPUT_BYTES };
  try {
    const { stdout, stderr } = await execute(program, [...args], options);
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const printed = `${stdout}${stderr}`.slice(-8000);
    throw new Error(`${program} ${args.join(' ')} failed:\n${printed}`, { cause: error });
  }
}

/** Newer packages and dependencies are not installed, so that the tests do not change from day to day. */
const AS_OF = '2026-11-25';

/** The `node_modules` with these npm packages, installed once into this project's cache folder. */
export async function nodeModules(packages: readonly string[]): Promise<string> {
  const key = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 16);
  const home = path.join(cacheFolder(process.env), `node-modules-${key}`);
  if (!existsSync(home)) {
    await withScratchFolder(process.env, async (folder) => {
      await writeFile(path.join(folder, 'package.json'), '{"private":true}');
      await run('npm', ['install', `--before=${AS_OF}`, '--engine-strict=false', ...packages], { cwd: folder });
      await rename(folder, home);
    });
  }
  return path.join(home, 'node_modules');
}

export type Server = { output(): string; end(): Promise<void> };

/** Starts a program that listens on a port of this machine, and waits until it responds. */
export async function startServer(
  program: string,
  args: readonly string[],
  port: number,
  { cwd, env }: Options,
): Promise<Server> {
  const child: ChildProcess = spawn(program, [...args], {
    cwd,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const hasEnded = () => child.exitCode !== null;
  const end = async () => {
    if (child.pid !== undefined && !hasEnded()) process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  const responds = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  try {
    await eventually(`${program} ${args.join(' ')}`, async () => hasEnded() || responds(), 120_000);
    if (hasEnded()) throw new Error(`${program} has ended with ${child.exitCode}`);
  } catch (error) {
    await end();
    throw new Error(output, { cause: error });
  }
  return { output: () => output, end };
}

/** The Python interpreter of an environment with these packages of PyPI. */
export const python = (packages: Record<string, string>): Promise<string> =>
  pythonEnvironment(packages, process.env, () => undefined);

/**
 * A test that runs beside the others of its file, because it mostly waits for downloads and compilers. Skipped if one
 * of these programs is missing, with the reason in its name.
 */
export async function testWith(needs: Record<string, string>, name: string, body: () => Promise<void>): Promise<void> {
  const why = await reasonToSkip(needs);
  (why === '' ? test.concurrent : test.skip)(name + why, body);
}
