/** `venue_id` and `VENUE_ID` as `venueId`. */
export type CamelCase<Name extends string> =
  Lowercase<Name> extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Lowercase<Name>;

export const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
