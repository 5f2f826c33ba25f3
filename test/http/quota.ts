import { request } from 'node:http';
import type { Reply } from '../support/client.ts';

/** The fields of a response that tell of a limit, read by the grammar of the draft: nothing else passes. */
export type Quota = {
  policy: string;
  limit: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
};

/** Undefined where the response has neither field. */
export function quotaOf({ headers }: Pick<Reply, 'headers'>): Quota | undefined {
  const policy = headers.get('ratelimit-policy');
  const state = headers.get('ratelimit');
  if (policy === null && state === null) return undefined;
  const [, name = '', limit, windowSeconds] = /^"([a-z-]+)";q=(\d+);w=(\d+)$/.exec(policy ?? '') ?? [];
  const [, sameName, remaining, resetSeconds] = /^"([a-z-]+)";r=(\d+);t=(\d+)$/.exec(state ?? '') ?? [];
  if (name === '' || name !== sameName) throw new Error(`Not of the draft: ${policy} / ${state}`);
  return {
    policy: name,
    limit: Number(limit),
    windowSeconds: Number(windowSeconds),
    remaining: Number(remaining),
    resetSeconds: Number(resetSeconds),
  };
}

/** The Redis key under which a service counts the calls of a partner. */
export const counterOf = (service: { environment: Record<string, string> }, partnerId: string): string =>
  `${service.environment['QUEUE_PREFIX']}:rate-limit:${partnerId}`;

/** The status of a GET that reaches the listener from another address of this machine. */
export function statusFrom(
  localAddress: string,
  url: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { localAddress, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
