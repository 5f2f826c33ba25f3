import type { Express } from 'express';
import { type ListenerLimits, listen } from '../../src/http/listen.ts';

type Release = () => Promise<unknown>;

/** The registered releases by the context of their service. */
const releases = new WeakMap<object, Release[]>();

/** Runs `release` before the service of the context stops; the last registered runs first. */
export function onServiceStop(context: object, release: Release): void {
  releases.set(context, [release, ...(releases.get(context) ?? [])]);
}

/** Runs all registered releases once. */
export async function releaseAllOf(context: object): Promise<void> {
  const all = releases.get(context) ?? [];
  releases.delete(context);
  for (const release of all) await release();
}

/** Starts another listener in a service's process, until the service stops; returns its address. */
export async function listenUntilStop(
  context: object,
  app: Express,
  limits?: Partial<ListenerLimits>,
): Promise<string> {
  const { url, close } = await listen(app, '127.0.0.1', 0, limits);
  onServiceStop(context, close);
  return url;
}
