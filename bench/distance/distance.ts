import { endProcess, firstMessage, startScript } from '../processes.ts';

export type Distance = { pid: number; uri: string; stop: () => Promise<void> };

/** Starts a proxy for the MongoDB of `uri` that delays each message by `delayMs` in both directions. */
export async function startDistance(uri: string, delayMs: number): Promise<Distance> {
  const near = new URL(uri);
  const child = startScript(new URL('./distance-process.ts', import.meta.url), [near.port, String(delayMs)]);
  const { port } = await firstMessage<{ port: number }>(child, 'the distance');
  const far = new URL(uri);
  far.port = String(port);
  // Connect directly: the replica set would name its members, and the driver would bypass the proxy.
  far.searchParams.delete('replicaSet');
  far.searchParams.set('directConnection', 'true');
  return { pid: child.pid ?? 0, uri: far.href, stop: () => endProcess(child) };
}
