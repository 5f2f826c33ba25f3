import { textOf } from '../values.ts';

/** Two names that differ in nothing but capitals and spaces around them are one. */
export function nameKey(name: unknown): string {
  return textOf(name).normalize('NFC').trim().toLowerCase();
}

export function sameName(one: unknown, other: unknown): boolean {
  return nameKey(one) === nameKey(other);
}

/** What a venue is known by: its name and city. */
export function venueKey({ name, city }: { name?: unknown; city?: unknown }): string {
  return `${nameKey(name)}\n${nameKey(city)}`;
}
