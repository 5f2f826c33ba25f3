declare module '@11ty/eleventy' {
  /** What of it is used here: it has no types of its own. */
  export class Eleventy {
    constructor(input: string, output: string, options: Record<string, unknown>);
    write(): Promise<unknown>;
  }
}
