import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { endProcess, firstMessage, startScript } from '../processes.ts';

/** Arrivals since the last `take`. Instants are Unix milliseconds. */
export type Received = {
  hits: number;
  hung: number;
  /** Size of the last body. */
  bytes: number;
  firstAt: number;
  /** When the last new event arrived. */
  lastAt: number;
  /** Milliseconds from an event's own timestamp to its arrival. */
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
  /** The endpoint for the limit: the response of `url`, not recorded. */
  postUrl: string;
  /** Returns and clears the recorded arrivals. */
  take: () => Promise<Received>;
  /** Waits until events of `count` holds have arrived. False after `withinMs`. */
  waitFor: (count: number, withinMs: number) => Promise<boolean>;
  /** Closes the connections that wait for a response. */
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
    waitFor: async (count, withinMs) => {
      const endsAt = performance.now() + withinMs;
      while ((await ask<number>('count')) < count) {
        if (performance.now() > endsAt) return false;
        await delay(POLL_MS);
      }
      return true;
    },
    dropHanging: () => ask('drop'),
    stop: () => endProcess(child),
  };
}
