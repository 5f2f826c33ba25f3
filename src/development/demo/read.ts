/** Reads the fields of responses, of which nothing is known before they come. */

import { field } from '../embedded/api-caller.ts';

/** A field in words: text as it is, anything else as JSON, `nothing` where there is none. */
export function read(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === 'string' ? found : (JSON.stringify(found) ?? 'nothing');
}
