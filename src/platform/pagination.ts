/** A position in a listing ordered by instant, ties broken by id. */
export type Position = { at: Date; id: string };

export type Page<T> = { rows: T[]; next: Position | null };

/** The opaque text that a caller sends back to continue after `position`. */
export function encodeCursor(position: Position | null): string | null {
  if (position === null) return null;
  return Buffer.from(JSON.stringify([position.at.getTime(), position.id])).toString('base64url');
}

/** The position of a text made by `encodeCursor`; undefined for any other text. */
export function decodeCursor(cursor: string): Position | undefined {
  try {
    const [time, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown];
    if (typeof time !== 'number' || typeof id !== 'string') return undefined;
    const position = { at: new Date(time), id };
    return encodeCursor(position) === cursor ? position : undefined;
  } catch {
    return undefined;
  }
}

const past =
  (operator: '$lt' | '$gt') =>
  (position: Position | undefined, instant: string, id = '_id'): { $or?: object[] } => {
    if (position === undefined) return {};
    const { at, id: last } = position;
    return { $or: [{ [instant]: { [operator]: at } }, { [instant]: at, [id]: { [operator]: last } }] };
  };

/** Filters for rows after `position` by `instant` and `id`, both descending; no filter for the first page. */
export const beyond = past('$lt');

/** Like `beyond`, for a listing with `instant` and `id` ascending. */
export const beyondAscending = past('$gt');

/** The page that begins after `after`, of at most `limit`. */
export type PageWanted = { after?: Position | undefined; limit: number };

/** Cuts rows that were read with `limit + 1` to the page; the extra row only shows that there is a next page. */
export function toPage<T>(rows: T[], limit: number, positionOf: (row: T) => Position): Page<T> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next: rows.length > limit && last !== undefined ? positionOf(last) : null };
}
