import type { Reply } from '../support/client.ts';
import { inParallel } from '../support/in-parallel.ts';
import { mulberry32, propertySeed } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { faultOf } from './injection-judge.ts';
import type { Place, Shot } from './injection-payloads.ts';
import { SHOTS } from './injection-payloads.ts';
import type { Target } from './injection-scene.ts';
import { type RawRequest, sendRaw } from './injection-sender.ts';
import { type Input, legalRequest, requestWith, type Template } from './injection-template.ts';

const CONNECTIONS = 12;
const ALL = Number.POSITIVE_INFINITY;
/** The number of payloads for each input; all inputs of a place together get every payload. */
const PAYLOADS_PER_INPUT: Readonly<Record<Place, number>> = {
  body: scaled(ALL, 2),
  field: scaled(ALL, 1),
  query: scaled(ALL, 2),
  path: scaled(ALL, 2),
  header: scaled(ALL, 1),
};

/**
 * Sends payloads to the inputs of a listener; returns what it sent, such as the shot `field: NUL`, and every wrong
 * response. Listings must not change meanwhile.
 */
export async function attack(target: Target, inputs: readonly Input[], shotsOf = someShots) {
  const found = { sentCount: 0, inputs: new Set<string>(), shots: new Set<string>(), faults: [] as string[] };
  const rows = await rowCounts(target, inputs);
  const shots = inputs.flatMap((input) => shotsOf(input).map((shot) => ({ input, shot })));
  const ids = shots.map(({ input }) => input.id);
  const templates = await target.templatesFor('gap', ids);
  const work = shots.map((each, index) => ({ ...each, template: templates[index] as Template }));
  await inParallel(work, CONNECTIONS, async ({ input, shot, template }) => {
    const request = requestWith(input, shot, template);
    found.sentCount += 1;
    found.inputs.add(input.id);
    found.shots.add(`${input.place}: ${shot.name}`);
    const first = await sendAs(target, request);
    // A 503 may come from a busy machine. If the payload causes it, it comes again.
    const reply = first.status === 503 ? await sendAs(target, request) : first;
    const fault = faultOf(input, shot, request.path, reply, rows.get(input.id));
    if (fault !== undefined) found.faults.push(`${input.id} <- ${shot.name}: ${fault.slice(0, 300)}`);
  });
  return found;
}

/** Sends a request with the target's key, unless it has its own. */
export function sendAs({ url, apiKey }: Target, request: RawRequest): Promise<Reply> {
  const key: Record<string, string> = request.header?.name === 'x-api-key' ? {} : { 'x-api-key': apiKey };
  return sendRaw(url, { ...request, headers: { ...request.headers, ...key } });
}

/** The payloads of one input: the next slice of all payloads, which the seed shuffles. */
function someShots({ place, index }: Input): Shot[] {
  const random = mulberry32(propertySeed());
  const shots = SHOTS[place].map((shot) => ({ shot, order: random() })).sort((a, b) => a.order - b.order);
  const count = Math.min(PAYLOADS_PER_INPUT[place], shots.length);
  return Array.from({ length: count }, (_, n) => shots[(index * count + n) % shots.length]?.shot ?? []).flat();
}

/** The number of rows in each listing when its parameter has a legal value, by the id of the parameter. */
async function rowCounts(target: Target, inputs: readonly Input[]): Promise<Map<string, number>> {
  const ids = inputs.filter(({ place }) => place === 'query').map(({ id }) => id);
  const templates = await target.templatesFor('legal', ids);
  const rows = new Map<string, number>();
  await inParallel(templates.entries(), CONNECTIONS, async ([index, template]) => {
    const { body } = await sendAs(target, legalRequest(template));
    rows.set(ids[index] as string, (body as { count?: number } | undefined)?.count ?? 0);
  });
  return rows;
}
