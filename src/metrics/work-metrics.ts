import { Gauge, Registry } from 'prom-client';
import type { Progress } from '../platform/progress.ts';

/** Whether what this process does again and again has stopped, as `/healthz` says it, in the exposition format of Prometheus. */
export async function exposeWork(progress: Pick<Progress, 'names' | 'stalls'>): Promise<string> {
  const registry = new Registry();
  const stalled = new Gauge({
    ...{ name: 'work_stalled', help: 'Whether the work has been silent for longer than it may be.' },
    ...{ labelNames: ['work'], registers: [registry] },
  });
  for (const work of progress.names()) stalled.set({ work }, 0);
  for (const { name } of progress.stalls()) stalled.set({ work: name }, 1);
  return registry.metrics();
}
