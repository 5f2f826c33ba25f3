/** Undefined if malformed. Node 20's `URL.canParse` rejects Latin-1 letters once optimised: https://bücher.example. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
