import type { Transport } from './actions.ts';
import { callsOf } from './proxied-calls.ts';
import type { Proxy } from './proxy.ts';

/**
 * Carries actions out until the signal aborts. `onPastProxy` is told of a hold that was placed without a call through the proxy: an order
 * is asked for in one scenario only, so that its hold has no other explanation, whereas a list may come from a cache.
 */
export function watchedTransport(
  transport: Transport,
  proxy: Pick<Proxy, 'calls'>,
  signal: AbortSignal,
  onPastProxy: (holdId: string) => Promise<void>,
): Transport {
  return async (action, input) => {
    signal.throwIfAborted();
    const answer = await transport(action, input);
    const holdId = (answer as { hold_id?: unknown } | null)?.hold_id;
    const isHold = action === 'place_hold' && typeof holdId === 'string';
    if (isHold && !proxy.calls.some(callsOf('placeHold'))) await onPastProxy(holdId);
    return answer;
  };
}
