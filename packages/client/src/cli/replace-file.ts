import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes a file as a whole: to one beside it, synced, which then takes its name. Whoever reads it finds what it was before or after.
 * `mode` is what others may do with it; the system's default unless stated.
 */
export async function replaceFile(file: string, text: string, mode?: number): Promise<void> {
  const beside = `${file}.new`;
  try {
    const handle = await open(beside, 'w', mode);
    try {
      // One that was left there keeps its own mode otherwise.
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
