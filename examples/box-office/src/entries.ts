import type { Answers, Kind, Requests } from './order-types.ts';
import { KINDS } from './order-types.ts';
import type { Refusal } from './refusals.ts';

export type WebhookSecret = { secretKey: string; subscriptionId?: string };

/** A line of the journal. */
export type Entry =
  | { type: 'asked'; at: string; orderId: string; customer: string; kind: Kind; request: Requests[Kind] }
  | { type: 'answered'; orderId: string; kind: Kind; answer: Answers[Kind] }
  | { type: 'refused'; orderId: string; kind: Kind; refusal: Refusal }
  | { type: 'handled'; at: string; eventId: string }
  | { type: 'read'; cursor: string | null }
  | ({ type: 'secret' } & WebhookSecret);

type Fields = Readonly<Record<string, unknown>>;
const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCall = ({ orderId, kind }: Fields): boolean => isText(orderId) && (KINDS as readonly unknown[]).includes(kind);
const isRefusal = (value: unknown): boolean =>
  isObject(value) && isText(value['code']) && isObject(value['faults']) && Array.isArray(value['alternatives']);

/** The required fields of each type of line. The content of the service's answers is not checked. */
const CHECKS: { readonly [Type in Entry['type']]: (fields: Fields) => boolean } = {
  asked: (fields) =>
    isCall(fields) && isText(fields['at']) && isText(fields['customer']) && isObject(fields['request']),
  answered: (fields) => isCall(fields) && isObject(fields['answer']),
  refused: (fields) => isCall(fields) && isRefusal(fields['refusal']),
  handled: ({ at, eventId }) => isText(at) && isText(eventId),
  read: ({ cursor }) => isText(cursor) || cursor === null,
  secret: ({ secretKey }) => isText(secretKey),
};

/** Whether this shop understands a line. Without the check, lines of another version would be lost silently. */
export function isEntry(value: unknown): value is Entry {
  if (!isObject(value) || !isText(value['type'])) return false;
  const type = String(value['type']);
  return Object.hasOwn(CHECKS, type) && CHECKS[type as Entry['type']](value);
}

/** Longer than the service keeps events in its feed: an older event cannot be repeated. */
const EVENT_DAYS = 31;

/** Drops replaced cursors and secrets, and events that are too old to be repeated. Keeps all orders. */
export function stillNeeded(entries: Entry[]): Entry[] {
  const oldest = new Date(Date.now() - EVENT_DAYS * 86_400_000).toISOString();
  const lastOf = (type: Entry['type']) => entries.findLastIndex((each) => each.type === type);
  const last = { read: lastOf('read'), secret: lastOf('secret') };
  return entries.filter((entry, index) => {
    if (entry.type === 'handled') return entry.at > oldest;
    return entry.type === 'read' || entry.type === 'secret' ? index === last[entry.type] : true;
  });
}
