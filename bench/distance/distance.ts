import { endProcess, firstMessage, startScript } from '../processes.ts';

export type Distance = { pid: number; uri: string; stop: () => Promise<void> };

/** The MongoDB of `uri` as it is seen from where each message takes `delayMs`, in either direction. */
export async function startDistance(uri: string, delayMs: number): Promise<Distance> {
  const near = new URL(uri);
  const child = startScript(new URL('./distance-process.ts', import.meta.url), [near.port, String(delayMs)]);
  const { port } = await firstMessage<{ port: number }>(child, 'the distance');
  const far = new URL(uri);
  far.port = String(port);
  // The set names its members, which would be met without the distance.
  far.searchParams.delete('replicaSet');
  far.searchParams.set('directConnection', 'true');
  return { pid: child.pid ?? 0, uri: far.href, stop: () => endProcess(child) };
}
