import type { ProxiedCall } from './proxied-calls.ts';
import { jsonOf, readCall } from './proxied-calls.ts';
import { createUnderWay } from './under-way.ts';

/** Records the calls of the scenarios that the clean-up must undo. */
export type OwnCalls = {
  /** After the signal has aborted, rejects all but a GET. */
  send(request: Request): Promise<Response>;
  /** Every call but a GET since `forget`, in order. */
  calls: readonly ProxiedCall[];
  settled(): Promise<void>;
  forget(): void;
};

export function noteOwnCalls(
  baseUrl: string,
  fetch: (request: Request) => Promise<Response>,
  signal: AbortSignal,
): OwnCalls {
  const calls: ProxiedCall[] = [];
  const underWay = createUnderWay();
  // Normalise the base URL, because `request.url` is normalised.
  const prefix = new URL(baseUrl).href.replace(/\/$/, '');
  const sendNoted = async (request: Request) => {
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
    send: (request) => (request.method === 'GET' ? fetch(request) : underWay.add(sendNoted(request))),
    calls,
    settled: underWay.settled,
    forget: () => void calls.splice(0),
  };
}
