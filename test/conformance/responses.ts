import { type Client, clientOver } from '../support/client.ts';
import { errorOf } from '../support/verdict.ts';

/** A partner's request and outcome, such as `POST /api/v1/bookings/confirm 409 HOLD_EXPIRED`, without query. */
export type Exchange = { method: string; path: string; outcome: string };

/** A client that adds every exchange to `seen`. */
export function recording(client: Client, seen: Exchange[]): Client {
  return clientOver(async (method, path, init) => {
    const reply = await client.send(method, path, init);
    const code = reply.status < 400 ? '' : ` ${errorOf(reply).code}`;
    seen.push({ method, path: path.replace(/\?.*/s, ''), outcome: `${reply.status}${code}` });
    return reply;
  });
}

/** Splits `POST /api/v1/bookings/confirm 201` into its three parts. */
export function partsOf(response: string): Exchange {
  const [method = '', path = '', ...outcome] = response.split(' ');
  return { method, path, outcome: outcome.join(' ') };
}

/** The endpoint of a response, without parameter names: the contract's and Express's may differ. */
export function endpointOf(response: string): string {
  const { method, path } = partsOf(response);
  return `${method} ${path.replace(/\{\w*\}|:\w+/g, '{}')}`;
}

/** The responses among `expected` that are not in `seen`. */
export function missingResponses(expected: readonly string[], seen: readonly Exchange[]): string[] {
  return expected.filter((response) => {
    const { method, path, outcome } = partsOf(response);
    const form = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
    return !seen.some((each) => each.method === method && form.test(each.path) && each.outcome === outcome);
  });
}
