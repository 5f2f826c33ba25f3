import { access, constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, EXIT, usageError } from './command-error.ts';

export type NamedFile = readonly [option: string, file: string | undefined];

/**
 * Checks before the run that each file of `written` can be written.
 * @throws CommandError (exit code 2) that names the option, also if two options name the same file
 */
export async function requireWritable(written: readonly NamedFile[], read: readonly NamedFile[]): Promise<void> {
  const known = new Map<string, string>();
  for (const [option, file] of read) if (file !== undefined) known.set(await identityOf(file), option);
  for (const [option, file] of written) {
    if (file === undefined) continue;
    await requireWritableFile(option, file);
    const identity = await identityOf(file);
    const other = known.get(identity);
    if (other !== undefined) throw usageError(`${option}: ${file} is the file of ${other}, too. Name another one.`);
    known.set(identity, option);
  }
}

/** @throws CommandError that names the option */
export async function writeReport([option, file]: NamedFile, text: string): Promise<void> {
  if (file === undefined) return;
  try {
    // Replace the target of a link, not the link. A device or pipe cannot be replaced.
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
    const found = await stat(file).catch(() => undefined);
    if (found?.isDirectory() === true) throw usageError(`${option}: ${file} is a folder. Name a file in it.`);
    if (found !== undefined) await access(file, constants.W_OK);
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
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  if (found !== undefined) return `${found.dev}:${found.ino}`;
  const folder = path.dirname(path.resolve(file));
  return path.join(await realpath(folder).catch(() => folder), path.basename(file));
}

/** Replaces a file atomically. `mode`: its permissions, by default the system's. */
export async function replaceFile(file: string, text: string, mode?: number): Promise<void> {
  const beside = `${file}.new`;
  try {
    const handle = await open(beside, 'w', mode);
    try {
      // A file left by a crash would keep its own mode.
      if (mode !== undefined) await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (failure) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw failure;
  }
}
