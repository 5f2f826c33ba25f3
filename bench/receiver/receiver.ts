import { once } from 'node:events';
import { endProcess, firstMessage, startScript } from '../processes.ts';
import { eventually } from '../product/contents.ts';

/** Requests since the last `take`. Instants are Unix milliseconds. */
export type Received = {
  arrivals: number;
  /** When the last event arrived, without repetitions. */
  lastAt: number;
  /** For each event, milliseconds from its timestamp to its arrival. */
  ages: number[];
  holdIds: Set<string>;
};

export type Question = 'count' | 'take' | 'drop';

export type Receiver = {
  pid: number;
  url: string;
  hangingUrl: string;
  /** Responds after 200 ms. */
  slowUrl: string;
  /** Responds like `url` without recording: the endpoint for the limit. */
  postUrl: string;
  /** Returns and clears the recorded arrivals. */
  take: () => Promise<Received>;
  /** Waits until the events of `count` holds have arrived. False after `timeoutMs`. */
  waitFor: (count: number, timeoutMs: number) => Promise<boolean>;
  /** Closes the connections of requests to `hangingUrl`. */
  dropHanging: () => Promise<void>;
  stop: () => Promise<void>;
};

const POLL_MS = 20;

export async function startReceiver(): Promise<Receiver> {
  const child = startScript(new URL('./receiver-process.ts', import.meta.url));
  const { port } = await firstMessage<{ port: number }>(child, 'the receiver');
  const ask = async <T>(question: Question): Promise<T> => {
    child.send(question);
    const [answer] = (await once(child, 'message')) as [T];
    return answer;
  };
  const base = `http://127.0.0.1:${port}`;
  return {
    pid: child.pid ?? 0,
    url: `${base}/webhook`,
    hangingUrl: `${base}/hang`,
    slowUrl: `${base}/slow`,
    postUrl: `${base}/post`,
    take: () => ask('take'),
    waitFor: (count, timeoutMs) => eventually(timeoutMs, async () => (await ask<number>('count')) >= count, POLL_MS),
    dropHanging: () => ask('drop'),
    stop: () => endProcess(child),
  };
}
