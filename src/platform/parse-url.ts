/**
 * An absolute URL, or one relative to `base`; undefined if malformed. Replaces `URL.canParse`, which in Node 20 takes
 * Latin-1 letters for malformed once it is optimised: https://bücher.example.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
