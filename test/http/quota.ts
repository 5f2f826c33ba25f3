import type { Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { parseExposition } from '../support/exposition.ts';
import { converse, headOf, repliesIn } from './raw-connection.ts';

/** The RateLimit fields of a response, parsed strictly by the grammar of their IETF draft; undefined if it has none. */
export function quotaOf({ headers }: Pick<Reply, 'headers'>) {
  const policy = headers.get('ratelimit-policy');
  const state = headers.get('ratelimit');
  if (policy === null && state === null) return undefined;
  const [, name = '', limit, windowSeconds] = /^"([a-z-]+)";q=(\d+);w=(\d+)$/.exec(policy ?? '') ?? [];
  const [, sameName, remaining, resetSeconds] = /^"([a-z-]+)";r=(\d+);t=(\d+)$/.exec(state ?? '') ?? [];
  if (name === '' || name !== sameName) throw new Error(`Not RateLimit fields of the draft: ${policy} / ${state}`);
  return {
    policy: name,
    limit: Number(limit),
    windowSeconds: Number(windowSeconds),
    remaining: Number(remaining),
    resetSeconds: Number(resetSeconds),
  };
}

/** The responses to `count` calls, one after the other. */
export async function inTurn<T>(count: number, call: () => Promise<T>): Promise<T[]> {
  const replies: T[] = [];
  for (let n = 0; n < count; n += 1) replies.push(await call());
  return replies;
}

/** The Redis key in which a service counts the calls of a partner. */
export const counterOf = (service: { environment: Record<string, string> }, partnerId: string): string =>
  `${service.environment['QUEUE_PREFIX']}:rate-limit:${partnerId}`;

/** Calls of a process beyond each limit, by `listener limit`. */
export async function readLimited(adminUrl: string): Promise<Record<string, number>> {
  const families = parseExposition(await (await fetch(`${adminUrl}/metrics`)).text());
  const samples = families.get('http_rate_limited_total')?.samples ?? [];
  return Object.fromEntries(samples.map(({ labels, value }) => [`${labels['listener']} ${labels['limit']}`, value]));
}

/** Waits for exactly this many calls beyond the limits since `before`; the metrics may be 0.25 s old. */
export async function expectLimited(adminUrl: string, before: Record<string, number>, added: Record<string, number>) {
  const wanted = JSON.stringify(Object.entries(before).map(([limit, count]) => [limit, count + (added[limit] ?? 0)]));
  await eventually(
    `${wanted} calls beyond a limit are counted`,
    async () => JSON.stringify(Object.entries(await readLimited(adminUrl))) === wanted,
  );
}

/** The status of a GET from another address of this machine. */
export async function statusFrom(localAddress: string, url: string, headers: Record<string, string>) {
  const [reply] = repliesIn(await converse(url, headOf('GET', url, Object.entries(headers)), localAddress));
  return reply?.status;
}
