import { access, constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, EXIT, usageError } from './command-error.ts';

export type NamedFile = readonly [option: string, file: string | undefined];

/**
 * Checks before the run that each file of `outputs` can be written.
 * @throws CommandError (exit code 2) that names the option, also if two options name the same file
 */
export async function requireWritable(outputs: readonly NamedFile[], inputs: readonly NamedFile[]): Promise<void> {
  const optionOf = new Map<string, string>();
  for (const [option, file] of inputs) if (file !== undefined) optionOf.set(await identityOf(file), option);
  for (const [option, file] of outputs) {
    if (file === undefined) continue;
    await requireWritableFile(option, file);
    const identity = await identityOf(file);
    const other = optionOf.get(identity);
    if (other !== undefined) throw usageError(`${option}: ${file} is the file of ${other}, too. Name another one.`);
    optionOf.set(identity, option);
  }
}

/** @throws CommandError that names the option */
export async function writeReport([option, file]: NamedFile, text: string): Promise<void> {
  if (file === undefined) return;
  try {
    // Replace the target of a link, not the link. Devices and pipes cannot be replaced, only written.
    const target = await realpath(file).catch(() => path.resolve(file));
    if (await isSpecial(target)) await writeFile(target, text);
    else await replaceFile(target, text);
  } catch (failure) {
    throw new CommandError(`${option}: ${cannotBeWritten(file, failure)}`, EXIT.refused, failure);
  }
}

async function requireWritableFile(option: string, file: string): Promise<void> {
  try {
    if (file === '') throw usageError(`${option} is empty. Name a file, or leave the option out.`);
    const stats = await stat(file).catch(() => undefined);
    if (stats?.isDirectory() === true) throw usageError(`${option}: ${file} is a folder. Name a file in it.`);
    if (stats !== undefined) await access(file, constants.W_OK);
    if (!(await isSpecial(file))) await access(path.dirname(file), constants.W_OK);
  } catch (failure) {
    if (failure instanceof CommandError) throw failure;
    throw usageError(`${option}: ${cannotBeWritten(file, failure)}`);
  }
}

const cannotBeWritten = (file: string, failure: unknown): string =>
  `${file} cannot be written (${(failure as NodeJS.ErrnoException).code ?? 'unknown reason'}).`;

async function isSpecial(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() === false;
}

/** Equal for all names of a file, even if the file does not exist yet. */
async function identityOf(file: string): Promise<string> {
  const stats = await stat(file, { bigint: true }).catch(() => undefined);
  if (stats !== undefined) return `${stats.dev}:${stats.ino}`;
  const folder = path.dirname(path.resolve(file));
  return path.join(await realpath(folder).catch(() => folder), path.basename(file));
}

/** Replaces a file atomically. `mode`: the permissions; default: the system's. */
export async function replaceFile(file: string, text: string, mode?: number): Promise<void> {
  const temporary = `${file}.new`;
  try {
    const handle = await open(temporary, 'w', mode);
    try {
      // A file left by a crash would keep its own mode.
      if (mode !== undefined) await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (failure) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw failure;
  }
}
