/** The opaque text for a place in the feed. */
export function encodeFeedCursor(place: number): string {
  return Buffer.from(`feed:${place}`).toString('base64url');
}

/** The place that `encodeFeedCursor` made the text of; undefined for anything that it did not make. */
export function decodeFeedCursor(cursor: string): number | undefined {
  const [, digits] = /^feed:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const place = Number(digits);
  return digits !== undefined && encodeFeedCursor(place) === cursor ? place : undefined;
}
