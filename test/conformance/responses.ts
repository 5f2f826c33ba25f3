import type { Client, Reply } from '../support/client.ts';
import { errorOf } from '../support/verdict.ts';

/** A request that a row made, as `POST /api/v1/bookings/confirm 409 HOLD_EXPIRED`; the path as it was sent, without query. */
export type Answered = { method: string; path: string; outcome: string };

/** A client that notes what it is answered. */
export function noting(client: Client, answered: Answered[]): Client {
  const note = async (method: string, path: string, sent: Promise<Reply>): Promise<Reply> => {
    const reply = await sent;
    const code = reply.status < 400 ? '' : ` ${errorOf(reply).code}`;
    answered.push({ method, path: path.replace(/\?.*/s, ''), outcome: `${reply.status}${code}` });
    return reply;
  };
  return {
    send: (method, path, init) => note(method, path, client.send(method, path, init)),
    get: (path, headers) => note('GET', path, client.get(path, headers)),
    post: (path, body, headers) => note('POST', path, client.post(path, body, headers)),
    put: (path, body) => note('PUT', path, client.put(path, body)),
    patch: (path, body) => note('PATCH', path, client.patch(path, body)),
    delete: (path) => note('DELETE', path, client.delete(path)),
  };
}

/** `POST /api/v1/bookings/confirm 201` in its three parts. */
export function partsOf(answer: string): Answered {
  const [method = '', path = '', ...outcome] = answer.split(' ');
  return { method, path, outcome: outcome.join(' ') };
}

/** The endpoint of a response, its parameters without their names: the contract's and Express's may differ. */
export function endpointOf(answer: string): string {
  const { method, path } = partsOf(answer);
  return `${method} ${path.replace(/\{\w*\}|:\w+/g, '{}')}`;
}

/** The responses among `expected` that nothing in `answered` is. */
export function missingAnswers(expected: readonly string[], answered: readonly Answered[]): string[] {
  return expected.filter((answer) => {
    const { method, path, outcome } = partsOf(answer);
    const form = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
    return !answered.some(
      (each) => each.method === method && form.test(each.path) && isOutcome(each.outcome, outcome),
    );
  });
}

/** `2xx` stands for any success, where the documents name no status. */
function isOutcome(outcome: string, expected: string): boolean {
  return expected === '2xx' ? outcome.startsWith('2') : outcome === expected;
}

/** The members that only one of two lists of endpoints has. */
export function differenceOf(named: Iterable<string>, mounted: Iterable<string>) {
  const [rows, routes] = [new Set(named), new Set(mounted)];
  return {
    withoutRow: [...routes].filter((endpoint) => !rows.has(endpoint)),
    notMounted: [...rows].filter((endpoint) => !routes.has(endpoint)),
  };
}
