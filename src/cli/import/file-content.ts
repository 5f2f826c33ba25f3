import { foldCase } from '../../platform/fold-case.rules.ts';
import { type Json, textOf } from '../values.ts';

/** Why the file cannot be imported. `path` is the faulty field of the `subject`, empty if all of it is faulty. */
export type Fault = { line: number; subject: string; path: string; message: string };

export type FileContent = {
  content?: Json;
  /** The line of a path (`venues.0.name`), or of its last existing part. */
  lineOf: (path: string) => number;
  faults: Fault[];
};

export const faultOfFile = (message: string, line = 1): Fault => ({ line, subject: '', path: '', message });

export const unreadable = (...faults: Fault[]): FileContent => ({ lineOf: () => 1, faults });

/** `Andheri Turf House / Turf A / Evenings`. */
export function subjectOf(...names: readonly unknown[]): string {
  return names
    .map(textOf)
    .filter((name) => name !== '')
    .join(' / ');
}

/** Names that differ only in case and blanks are equal: spreadsheets and editors add no-break or double spaces. */
export function nameKey(name: unknown): string {
  return foldCase(textOf(name)).replaceAll(/\s+/g, ' ').trim();
}

/** A venue's identity: its name and city. */
export function venueKey({ name, city }: { name?: unknown; city?: unknown }): string {
  return `${nameKey(name)}\n${nameKey(city)}`;
}
