/** A load process: runs the tasks that its parent sends, one at a time. */

import type { OpenStep } from './http-steps.ts';
import { runLoad } from './run-load.ts';
import type { Task } from './steps.ts';
import { STEPS } from './steps.ts';

let stop = new AbortController();

async function run(task: Task): Promise<void> {
  stop = new AbortController();
  const open = STEPS[task.step] as (params: unknown, callers: number) => OpenStep | Promise<OpenStep>;
  const { step, close } = await open(task.params, task.callers);
  try {
    const tell = (event: string) => () => void process.send?.({ event });
    const hooks = { begun: tell('begun'), ended: tell('ended'), stopping: stop.signal };
    const report = await runLoad(step, task.callers, task.pace, hooks);
    process.send?.({ event: 'report', report });
  } finally {
    await close();
  }
}

process.on('message', (message: Task | 'stop') => {
  if (message === 'stop') stop.abort();
  else run(message).catch((err: Error) => process.send?.({ event: 'failed', error: err.stack ?? err.message }));
});
process.once('disconnect', () => process.exit());
process.send?.({ event: 'ready' });
