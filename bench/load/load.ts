import type { CpuUse, Pids } from '../processes.ts';
import { endProcess, firstMessage, startMeter, startScript } from '../processes.ts';
import type { CpuUs } from '../report.ts';
import type { LoadReport } from './run-load.ts';
import type { Task } from './steps.ts';

/** The report of a load, and the CPU use per call while calls were counted. */
export type LoadResult = LoadReport & { cpuUs: CpuUs; othersShare: number };

export type LoadProcess = {
  pid: number;
  /** Runs a task. Meters the CPU use of `pids`. */
  run: (task: Task, pids: Pids) => Promise<LoadResult>;
  /** Ends a task with a fixed rate early. */
  cut: () => void;
  stop: () => Promise<void>;
};

type Message =
  | { event: 'begun' | 'ended' }
  | { event: 'report'; report: LoadReport }
  | { event: 'failed'; error: string };

/** Starts a load process. `benchPids` returns the processes of the benchmark. */
export async function startLoadProcess(benchPids: () => number[]): Promise<LoadProcess> {
  const child = startScript(new URL('./load-process.ts', import.meta.url));
  await firstMessage(child, 'a load process');
  const run = (task: Task, pids: Pids): Promise<LoadResult> =>
    new Promise((resolve, reject) => {
      let meter: (() => CpuUse) | undefined;
      let used: CpuUse = { us: {}, othersShare: 0 };
      const finish = (settle: () => void) => {
        child.off('message', receive).off('exit', onExit);
        settle();
      };
      const onExit = () => finish(() => reject(new Error('A load process ended in the middle of a task')));
      const receive = (message: Message): void => {
        switch (message.event) {
          case 'begun':
            meter = startMeter(pids, benchPids());
            break;
          case 'ended':
            used = meter?.() ?? used;
            break;
          case 'report':
            finish(() => resolve({ ...message.report, ...perCall(used, message.report.calls) }));
            break;
          case 'failed':
            finish(() => reject(new Error(`${task.step}: ${message.error}`)));
            break;
        }
      };
      child.on('message', receive).on('exit', onExit);
      child.send(task);
    });
  return { pid: child.pid ?? 0, run, cut: () => void child.send('stop'), stop: () => endProcess(child) };
}

/** Microseconds of each process per call. */
export function perCall({ us, othersShare }: CpuUse, calls: number): { cpuUs: CpuUs; othersShare: number } {
  const each = Object.entries(us).map(([name, used]) => [name, used / Math.max(1, calls)] as const);
  return { cpuUs: Object.fromEntries(each), othersShare };
}
