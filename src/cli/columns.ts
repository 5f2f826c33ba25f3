import { isObject, objectsOf, textOf } from './values.ts';

type Row = Readonly<Record<string, unknown>>;

/** A column of a listing; those named first are the last to be left out where a line is too short for all. */
export type Column = {
  header: string;
  valueOf: (row: Row) => string;
  /** Whether a long value may be cut: never an id, which somebody will copy. */
  isCut: boolean;
};

/** A field as it is; `header` where its name is long. */
export const plain = (field: string, header = field): Column => ({
  header,
  valueOf: (row) => textOf(row[field]),
  isCut: false,
});

/** Text for people, which may be cut. */
export const prose = (field: string, header = field): Column => ({ ...plain(field, header), isCut: true });

/** An instant, without the seconds and milliseconds where they are zero. */
export const instant = (field: string, header = field): Column => ({
  header,
  valueOf: (row) => shortInstant(textOf(row[field])),
  isCut: false,
});

/** A list of texts, with commas. */
export const list = (field: string, header = field): Column => ({
  header,
  valueOf: (row) => (Array.isArray(row[field]) ? row[field].map(textOf).join(', ') : textOf(row[field])),
  isCut: true,
});

/** Several fields in one word. */
export const computed = (header: string, valueOf: (row: Row) => string): Column => ({
  header,
  valueOf,
  isCut: false,
});

/** The same, for what may be cut. */
export const computedProse = (header: string, valueOf: (row: Row) => string): Column => ({
  ...computed(header, valueOf),
  isCut: true,
});

/** `2026-11-21T04:30:00.000Z` is `2026-11-21T04:30Z`, still ISO 8601. */
export function shortInstant(text: string): string {
  return text.replace(/(?::00)?\.000Z$/, 'Z').replace(/\.\d{3}Z$/, 'Z');
}

/** `06:00-23:00`. */
export function span(from: unknown, to: unknown): string {
  return isAbsent(from) && isAbsent(to) ? '' : `${textOf(from)}-${textOf(to)}`;
}

const isAbsent = (value: unknown) => value === null || value === undefined;

/** What a price rule makes of the price: an amount, or `×1.5`. */
export function priceOf(rule: Row): string {
  return isAbsent(rule['multiplier']) ? textOf(rule['price_rupees']) : `×${textOf(rule['multiplier'])}`;
}

/** Who did it: `operator`, or which partner's key. */
export function actorOf(row: Row): string {
  const { actor } = row;
  return isObject(actor) ? textOf(actor['kind']) : '';
}

/** `2 succeeded, 1 retrying`. */
export function deliveriesOf(row: Row): string {
  const states = objectsOf(row['deliveries']).map((delivery) => textOf(delivery['state']));
  const counted = [...new Set(states)].map(
    (state) => `${states.filter((each) => each === state).length} ${state}`,
  );
  return counted.join(', ');
}

/** `5: 500`: how often it was sent, and what came of the last time. */
export function attemptsOf(row: Row): string {
  const attempts = objectsOf(row['attempts']);
  const last = attempts.at(-1);
  if (last === undefined) return '0';
  return `${attempts.length}: ${textOf(last['status_code'] ?? last['error'])}`;
}

/** When a key ends, or has ended, whichever of its two ends is the earlier. */
export function endOf(row: Row): string {
  const [first = ''] = [row['revoked_at'], row['expires_at']]
    .map(textOf)
    .filter((text) => text !== '')
    .toSorted();
  return shortInstant(first);
}

/** What was called, without what all paths begin with. */
export function pathOf(row: Row): string {
  return textOf(row['path']).replace('/api/v1/operator', '');
}
