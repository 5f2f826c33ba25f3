import type { Reply } from '../support/client.ts';
import { inParallel } from '../support/in-parallel.ts';
import { mulberry32, propertySeed } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import type { Input } from './injection-inputs.ts';
import { requestFor, requestWithout } from './injection-inputs.ts';
import type { Rows } from './injection-judge.ts';
import { faultOf } from './injection-judge.ts';
import type { Place, Shot } from './injection-payloads.ts';
import { SHOTS } from './injection-payloads.ts';
import type { Target } from './injection-scene.ts';
import type { RawRequest, Sender } from './injection-sender.ts';
import { CONNECTIONS } from './injection-sender.ts';

const ALL = Number.POSITIVE_INFINITY;
/** How many of the payloads each input gets; over all inputs of a place, every payload is sent. */
const OF_EACH: Readonly<Record<Place, number>> = {
  body: scaled(ALL, 2),
  field: scaled(ALL, 1),
  query: scaled(ALL, 2),
  path: scaled(ALL, 2),
  header: scaled(ALL, 1),
};

/** How much was sent, and every response that was wrong. */
export type Findings = {
  sent: number;
  inputs: Set<string>;
  /** `field: NUL` */
  shots: Set<string>;
  faults: string[];
};

/** Sends the inputs of a listener their payloads, and judges each response. What listings show must not change meanwhile. */
export async function attack(sender: Sender, target: Target, inputs: readonly Input[]): Promise<Findings> {
  const found: Findings = { sent: 0, inputs: new Set(), shots: new Set(), faults: [] };
  const rows = new Map<string, Rows>();
  await inParallel(
    inputs.filter(({ place }) => place === 'query'),
    CONNECTIONS,
    async (input) => void rows.set(input.id, await rowsOf(sender, target, input)),
  );
  const work = inputs.flatMap((input) => shotsFor(input).map((shot) => ({ input, shot })));
  await inParallel(work, CONNECTIONS, async ({ input, shot }) => {
    const request = requestFor(input, shot, target.known, found.sent);
    found.sent += 1;
    found.inputs.add(input.id);
    found.shots.add(`${input.place}: ${shot.name}`);
    const first = await sendAs(sender, target, request);
    // What a payload does it does again; a database that a busy machine keeps waiting answers the second time.
    const reply = first.status === 503 ? await sendAs(sender, target, request) : first;
    const fault = faultOf(input, shot, request.path, reply, rows.get(input.id));
    if (fault !== undefined) found.faults.push(`${input.id} <- ${shot.name}: ${fault.slice(0, 300)}`);
  });
  return found;
}

/** Sends a request with the key of the target, unless it has one of its own. */
export function sendAs(sender: Sender, { url, apiKey }: Target, request: RawRequest): Promise<Reply> {
  const key: Record<string, string> = request.header?.name === 'x-api-key' ? {} : { 'x-api-key': apiKey };
  return sender.send(url, { ...request, headers: { ...request.headers, ...key } });
}

/** The payloads of one input: a part of all in an order that the seed decides, the next part for the next input. */
function shotsFor({ place, index }: Input): Shot[] {
  const random = mulberry32(propertySeed());
  const shots = SHOTS[place].map((shot) => ({ shot, at: random() })).sort((a, b) => a.at - b.at);
  const count = Math.min(OF_EACH[place], shots.length);
  const places = Array.from({ length: count }, (_, n) => (index * count + n) % shots.length);
  return places.flatMap((at) => shots[at]?.shot ?? []);
}

async function rowsOf(sender: Sender, target: Target, input: Input): Promise<Rows> {
  const count = async (request: RawRequest) => {
    const { body } = await sendAs(sender, target, request);
    return (body as { count?: number } | undefined)?.count ?? 0;
  };
  const without = await count(requestWithout(input, target.known));
  return { without, legal: await count(requestFor(input, undefined, target.known, 0)) };
}
