import path from 'node:path';
import { endProcess, firstMessage, startScript } from '../processes.ts';
import type { Bench } from '../rows/row.ts';

/** The constant response, and the file to which the server logs each call. */
export type Constant = { body: string; etag: string; logFile: string };

export type ConstantServer = {
  pid: number;
  /** Port of `/constant` and `/ok`, served through the product's middleware. */
  port: number;
  /** Port of bare `node:http`: responds to any path with the body `ok`. */
  barePort: number;
  stop: () => Promise<void>;
};

export async function startConstant(bench: Bench, { body, etag }: Omit<Constant, 'logFile'>): Promise<ConstantServer> {
  const child = startScript(new URL('./constant-process.ts', import.meta.url));
  child.send({ body, etag, logFile: path.join(bench.product.folder, 'constant.log') });
  const ports = await firstMessage<{ port: number; barePort: number }>(child, 'the constant server');
  const stop = () => endProcess(child);
  bench.onStop(stop);
  return { pid: child.pid ?? 0, ...ports, stop };
}
