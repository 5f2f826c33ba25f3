/** The fields that have a value, as `exactOptionalPropertyTypes` and the database want them. */
export function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** `venue_id` and `VENUE_ID` as `venueId`. */
export type CamelCase<Name extends string> =
  Lowercase<Name> extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Lowercase<Name>;

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** The fields of a body or query: `Fields`, which a service takes in camelCase, under their snake_case names. */
export type SnakeCased<Fields> = { [Name in keyof Fields as SnakeCase<Name & string>]: Fields[Name] };

export const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

/** The fields with their names in camelCase, without undefined fields. */
export function camelCased<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(omitUndefined(fields)).map(([name, value]) => [camelCase(name), value])) as {
    [Name in keyof Fields as CamelCase<Name & string>]: Fields[Name];
  };
}
