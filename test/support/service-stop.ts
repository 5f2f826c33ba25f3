import type { Express } from 'express';
import { type ListenerLimits, listen } from '../../src/http/listen.ts';

type Release = () => Promise<unknown>;

/** By the context of their service. */
const releases = new WeakMap<object, Release[]>();

/** Has this done before the service of the context stops; what was asked for last comes first. */
export function onServiceStop(context: object, release: Release): void {
  releases.set(context, [release, ...(releases.get(context) ?? [])]);
}

/** Does all that; once. */
export async function releaseAllOf(context: object): Promise<void> {
  const all = releases.get(context) ?? [];
  releases.delete(context);
  for (const release of all) await release();
}

/** Another listener in the process of a service, until that stops; returns its address. `limits` as for `listen`. */
export async function listenUntilStop(
  context: object,
  app: Express,
  limits?: Partial<ListenerLimits>,
): Promise<string> {
  const { url, close } = await listen(app, '127.0.0.1', 0, limits);
  onServiceStop(context, close);
  return url;
}
