/** What an object as operators see it names by id has a field like this: `id`, `booking_id`, `resource_id`. */
const ID_FIELD = /^(?:id|(?!request_)\w+_id)$/;
const MAX_CHARACTERS = 200;

/** The ids that an object as operators see it has: its own, and those of what it belongs to. */
export function subjectsOf(seen: unknown): string[] {
  if (typeof seen !== 'object' || seen === null) return [];
  const ids = Object.entries(seen).flatMap(([name, value]: [string, unknown]) =>
    ID_FIELD.test(name) && typeof value === 'string' && value.length <= MAX_CHARACTERS ? [value] : [],
  );
  return [...new Set(ids)];
}
