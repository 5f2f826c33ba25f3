import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The program's pid comes first, then it runs until standard input ends, which this process' death brings about too. */
const UNTIL_END_OF_INPUT = '"$@" >/dev/null & echo $!; cat >/dev/null; kill -9 $!';

/** A program that can be killed and started again, and that never outlives this process. */
export type KeptProcess = {
  start(): Promise<void>;
  isRunning(): boolean;
  /** SIGKILL ends it, SIGSTOP freezes it with its connections open, SIGCONT wakes it. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Ends it where it runs. */
  end(): Promise<void>;
};

/** `command` answers the program and its arguments; it is asked at the first start. */
export function keptProcess(command: () => Promise<readonly string[]>): KeptProcess {
  let keeper: ChildProcess | undefined;
  let pid = 0;
  const end = async () => {
    if (keeper === undefined) return;
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    keeper = undefined;
    await ended;
  };
  return {
    start: async () => {
      const started = spawn('sh', ['-c', UNTIL_END_OF_INPUT, 'sh', ...(await command())], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      keeper = started;
      const [line] = (await once(started.stdout, 'data')) as [Buffer];
      pid = Number(line.toString());
    },
    isRunning: () => keeper !== undefined,
    signal: async (name) => {
      // Without a pid the signal would go to this whole process group.
      if (keeper === undefined) throw new Error('This process is not running');
      process.kill(pid, name);
      if (name === 'SIGKILL') await end();
    },
    end,
  };
}
