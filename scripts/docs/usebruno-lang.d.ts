declare module '@usebruno/lang' {
  /** The text of a request's file. */
  export function jsonToBruV2(request: object): string;
  /** The text of `collection.bru`. */
  export function jsonToCollectionBru(collection: object): string;
  /** The text of an environment's file. */
  export function envJsonToBruV2(environment: object): string;
  /** What the text of a request's file says. @throws Error where it is none */
  export function bruToJsonV2(text: string): object;
}
