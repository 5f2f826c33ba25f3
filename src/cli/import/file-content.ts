import { foldCase } from '../../platform/fold-case.rules.ts';
import { textOf } from '../values.ts';

/** One thing that a file describes: the fields as they stand there, and where. */
export type FileRow = {
  line: number;
  fields: Record<string, unknown>;
  /** The fields with which a fault was found when they were read. */
  refused?: ReadonlySet<string>;
  /** The line of a field, named as joi names it (`weekly.mon.0.start`); of the row where the field is not there. */
  lineOf: (path: string) => number;
};

export type FileResource = FileRow & { schedule?: FileRow; priceRules: FileRow[] };
export type FileVenue = FileRow & { resources: FileResource[] };

/** Why a row cannot be imported: `subject` says of what, `path` of which field (empty: of the whole row). */
export type Fault = { line: number; subject: string; path: string; message: string };

/** A file as both formats are read. Rows with faults are in it as far as they could be read, so that all faults are found. */
export type FileContent = { venues: FileVenue[]; faults: Fault[] };

/** The file cannot be read at all. */
export const faultOfFile = (message: string, line = 1): Fault => ({ line, subject: '', path: '', message });

/** Two names that differ in nothing but capitals and spaces are one: spreadsheets and editors put no-break spaces in, or two. */
export function nameKey(name: unknown): string {
  return foldCase(textOf(name)).replaceAll(/\s+/g, ' ').trim();
}

export function sameName(one: unknown, other: unknown): boolean {
  return nameKey(one) === nameKey(other);
}

/** What a venue is known by: its name and city. */
export function venueKey({ name, city }: { name?: unknown; city?: unknown }): string {
  return `${nameKey(name)}\n${nameKey(city)}`;
}
