import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../errors.ts';
import { codeOf } from '../values.ts';
import type { FileContent } from './file-content.ts';
import { faultOfFile } from './file-content.ts';
import { readCsv } from './read-csv.ts';
import { readYaml } from './read-yaml.ts';

const MAX_BYTES = 5_000_000;

export const FORMATS = ['yaml', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

const FORMAT_OF_ENDING: Readonly<Record<string, Format>> = { '.yaml': 'yaml', '.yml': 'yaml', '.csv': 'csv' };

/**
 * Reads a file of venues. What is wrong with its content is in `faults`, with lines.
 * @throws CommandError (exit code 2) where there is no such file, or no telling what is in it
 */
export async function readVenuesFile(file: string, given: Format | undefined): Promise<FileContent> {
  const format = given ?? FORMAT_OF_ENDING[path.extname(file).toLowerCase()];
  if (format === undefined) {
    throw usageError(
      `${file} does not end in .yaml, .yml or .csv. Give its format with --format yaml or --format csv.`,
    );
  }
  const text = textIn(await readBytes(file));
  if (typeof text !== 'string') return { venues: [], faults: [faultOfFile(text.message, text.line)] };
  if (text.trim() === '') return { venues: [], faults: [faultOfFile('the file is empty')] };
  return format === 'yaml' ? readYaml(text) : readCsv(text);
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES)
      throw usageError(`${file} is larger than ${MAX_BYTES / 1_000_000} MB. Split it by venue.`);
    return await readFile(file);
  } catch (err) {
    const code = codeOf(err);
    if (code === undefined) throw err;
    throw usageError(`${file} cannot be read (${code}).`);
  }
}

/** The text without a byte order mark, or why there is none. */
function textIn(bytes: Buffer): string | { message: string; line: number } {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const isUtf16 =
    bytes.subarray(0, 2).equals(Buffer.of(0xff, 0xfe)) || bytes.subarray(0, 2).equals(Buffer.of(0xfe, 0xff));
  if (isUtf16) return { message: 'the file is UTF-16. Save it as UTF-8 ("CSV UTF-8" in Excel).', line: 1 };
  const lines = splitLines(bytes);
  const faulty = lines.findIndex((line) => !isText(line));
  if (faulty < 0) return decoder.decode(bytes);
  return {
    message: 'this line is not UTF-8 text. Save the file as UTF-8 ("CSV UTF-8" in Excel).',
    line: faulty + 1,
  };
}

const NEW_LINE = 0x0a;

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}

function isText(line: Buffer): boolean {
  if (line.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(line);
    return true;
  } catch {
    return false;
  }
}
