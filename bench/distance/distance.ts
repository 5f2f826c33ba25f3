import { endProcess, firstMessage, startScript } from '../processes.ts';

export type Distance = { pid: number; uri: string; stop: () => Promise<void> };

/** Starts a proxy to the MongoDB at `uri` that delays all data by `delayMs` in both directions. */
export async function startDistance(uri: string, delayMs: number): Promise<Distance> {
  const near = new URL(uri);
  const child = startScript(new URL('./distance-process.ts', import.meta.url), [near.port, String(delayMs)]);
  const { port } = await firstMessage<{ port: number }>(child, 'the distance proxy');
  const far = new URL(uri);
  far.port = String(port);
  // With `replicaSet`, the driver would connect to the members' own addresses and bypass the proxy.
  far.searchParams.delete('replicaSet');
  far.searchParams.set('directConnection', 'true');
  return { pid: child.pid ?? 0, uri: far.href, stop: () => endProcess(child) };
}
