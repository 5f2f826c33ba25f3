import path from 'node:path';
import { endProcess, firstMessage, startScript } from '../processes.ts';
import type { Bench } from '../rows/row.ts';

/** The constant response. `log`: the file for a log line of each call. */
export type Constant = { body: string; etag: string; log: string };

export type ConstantServer = {
  pid: number;
  /** Serves `/constant` and `/ok` through the product's middleware. */
  port: number;
  /** Serves `ok` by `node:http` alone. */
  barePort: number;
  stop: () => Promise<void>;
};

export async function startConstant(bench: Bench, { body, etag }: Omit<Constant, 'log'>): Promise<ConstantServer> {
  const child = startScript(new URL('./constant-process.ts', import.meta.url));
  child.send({ body, etag, log: path.join(bench.product.folder, 'constant.log') });
  const ports = await firstMessage<{ port: number; barePort: number }>(child, 'the constant server');
  const stop = () => endProcess(child);
  bench.onStop(stop);
  return { pid: child.pid ?? 0, ...ports, stop };
}
