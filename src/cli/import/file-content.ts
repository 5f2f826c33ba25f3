import { foldCase } from '../../platform/fold-case.rules.ts';
import { textOf } from '../values.ts';

/** Why something cannot be imported: `subject` says of what, `path` of which field of it (empty: of the whole). */
export type Fault = { line: number; subject: string; path: string; message: string };

/** What a file holds, as far as it could be read, to be held to its schema. */
export type FileContent = {
  /** Undefined where nothing could be read. */
  content?: Record<string, unknown>;
  /** The line of what a path leads to (`venues.0.name`), or of the last thing on the way to it that there is. */
  lineOf: (path: string) => number;
  faults: Fault[];
};

/** The file cannot be read at all. */
export const faultOfFile = (message: string, line = 1): Fault => ({ line, subject: '', path: '', message });

export const unreadable = (...faults: Fault[]): FileContent => ({ lineOf: () => 1, faults });

/** `Andheri Turf House / Turf A / Evenings`. */
export function subjectOf(...names: readonly unknown[]): string {
  return names
    .map(textOf)
    .filter((name) => name !== '')
    .join(' / ');
}

/** Two names that differ in nothing but capitals and spaces are one: spreadsheets and editors put no-break spaces in, or two. */
export function nameKey(name: unknown): string {
  return foldCase(textOf(name)).replaceAll(/\s+/g, ' ').trim();
}

/** What a venue is known by: its name and city. */
export function venueKey({ name, city }: { name?: unknown; city?: unknown }): string {
  return `${nameKey(name)}\n${nameKey(city)}`;
}
