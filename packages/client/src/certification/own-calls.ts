import type { ProxiedCall } from './proxied-calls.ts';
import { jsonOf, readCall } from './proxied-calls.ts';
import { createRunningWork } from './running-work.ts';

/** Records the runner's own calls, which the clean-up must undo. */
export type OwnCalls = {
  /** After the signal has aborted, rejects all calls except GET. */
  send(request: Request): Promise<Response>;
  /** All calls since `forget`, except GET, in order. */
  calls: readonly ProxiedCall[];
  settled(): Promise<void>;
  forget(): void;
};

export function recordOwnCalls(
  baseUrl: string,
  fetch: (request: Request) => Promise<Response>,
  signal: AbortSignal,
): OwnCalls {
  const calls: ProxiedCall[] = [];
  const running = createRunningWork();
  // Normalise the base URL, because `request.url` is normalised.
  const prefix = new URL(baseUrl).href.replace(/\/$/, '');
  const sendRecorded = async (request: Request) => {
    const target = request.url.slice(prefix.length);
    const bytes = new Uint8Array(await request.clone().arrayBuffer());
    const call = readCall(request.method, target, undefined, bytes);
    signal.throwIfAborted();
    calls.push(call);
    const response = await fetch(request);
    const body = jsonOf(new Uint8Array(await response.clone().arrayBuffer()));
    call.answer = { status: response.status, body };
    return response;
  };
  return {
    send: (request) => (request.method === 'GET' ? fetch(request) : running.add(sendRecorded(request))),
    calls,
    settled: running.settled,
    forget: () => void calls.splice(0),
  };
}
