import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../errors.ts';
import { codeOf } from '../values.ts';
import { type FileContent, faultOfFile, unreadable } from './file-content.ts';
import { readCsv } from './read-csv.ts';
import { readYaml } from './read-yaml.ts';

const MAX_BYTES = 5_000_000;

const READERS: Readonly<Record<string, (text: string) => FileContent>> = {
  '.yaml': readYaml,
  '.yml': readYaml,
  '.csv': readCsv,
};

const NOT_TEXT = 'the file is not UTF-8 text. Save it as UTF-8 ("CSV UTF-8" in Excel).';

/**
 * Reads a file of venues; faults of its content are in `faults`.
 * @throws CommandError (exit code 2) if the file is missing, too large or of an unknown type
 */
export async function readVenuesFile(file: string): Promise<FileContent> {
  const read = READERS[path.extname(file).toLowerCase()];
  if (read === undefined) throw usageError(`${file} does not end in .yaml, .yml or .csv.`);
  const bytes = await readBytes(file);
  if (!isUtf8(bytes) || bytes.includes(0)) return unreadable(faultOfFile(NOT_TEXT));
  // TextDecoder drops a byte order mark.
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return unreadable(faultOfFile('the file is empty'));
  return read(text);
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw usageError(`${file} is larger than ${MAX_BYTES / 1_000_000} MB. Split it by venue.`);
    return await readFile(file);
  } catch (err) {
    const code = codeOf(err);
    if (code === undefined) throw err;
    throw usageError(`${file} cannot be read (${code}).`);
  }
}
