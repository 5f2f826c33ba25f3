import type { Reply } from '../support/client.ts';
import { inParallel } from '../support/in-parallel.ts';
import { mulberry32, propertySeed } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { faultOf } from './injection-judge.ts';
import type { Place, Shot } from './injection-payloads.ts';
import { SHOTS } from './injection-payloads.ts';
import type { Target } from './injection-scene.ts';
import type { RawRequest, Sender } from './injection-sender.ts';
import { CONNECTIONS } from './injection-sender.ts';
import type { Input, Template } from './injection-template.ts';
import { legalRequest, requestWith } from './injection-template.ts';

const ALL = Number.POSITIVE_INFINITY;
/** The number of payloads for each input; all inputs of a place together get every payload. */
const PAYLOADS_PER_INPUT: Readonly<Record<Place, number>> = {
  body: scaled(ALL, 2),
  field: scaled(ALL, 1),
  query: scaled(ALL, 2),
  path: scaled(ALL, 2),
  header: scaled(ALL, 1),
};

/** What an attack sent, and every wrong response. */
export type Findings = {
  sentCount: number;
  inputs: Set<string>;
  /** `field: NUL` */
  shots: Set<string>;
  faults: string[];
};

/** Sends payloads to the inputs of a listener, and checks each response. Listings must not change meanwhile. */
export async function attack(sender: Sender, target: Target, inputs: readonly Input[]): Promise<Findings> {
  const found: Findings = { sentCount: 0, inputs: new Set(), shots: new Set(), faults: [] };
  const rows = await rowCounts(
    sender,
    target,
    inputs.filter(({ place }) => place === 'query'),
  );
  const shots = inputs.flatMap((input) => shotsFor(input).map((shot) => ({ input, shot })));
  const templates = await target.templatesFor(
    shots.map(({ input }) => ({ id: input.id, form: 'gap' })),
    { variesValues: true },
  );
  const work = templates.map((template, index) => ({
    template,
    ...(shots[index] as (typeof shots)[number]),
  }));
  await inParallel(work, CONNECTIONS, async ({ input, shot, template }) => {
    const request = requestWith(input, shot, template);
    found.sentCount += 1;
    found.inputs.add(input.id);
    found.shots.add(`${input.place}: ${shot.name}`);
    const first = await sendAs(sender, target, request);
    // A 503 may come from a busy machine. If the payload causes it, it comes again.
    const reply = first.status === 503 ? await sendAs(sender, target, request) : first;
    const fault = faultOf(input, shot, request.path, reply, rows.get(input.id));
    if (fault !== undefined) found.faults.push(`${input.id} <- ${shot.name}: ${fault.slice(0, 300)}`);
  });
  return found;
}

/** Sends a request with the target's key, unless it has its own. */
export function sendAs(sender: Sender, { url, apiKey }: Target, request: RawRequest): Promise<Reply> {
  const key: Record<string, string> = request.header?.name === 'x-api-key' ? {} : { 'x-api-key': apiKey };
  return sender.send(url, { ...request, headers: { ...request.headers, ...key } });
}

/** The payloads of one input: the next slice of all payloads, which the seed shuffles. */
function shotsFor({ place, index }: Input): Shot[] {
  const random = mulberry32(propertySeed());
  const shots = SHOTS[place].map((shot) => ({ shot, order: random() })).sort((a, b) => a.order - b.order);
  const count = Math.min(PAYLOADS_PER_INPUT[place], shots.length);
  return Array.from({ length: count }, (_, n) => shots[(index * count + n) % shots.length]?.shot ?? []).flat();
}

/** The number of rows in each listing when its parameter has a legal value. */
async function rowCounts(sender: Sender, target: Target, inputs: readonly Input[]): Promise<Map<string, number>> {
  const templates = await target.templatesFor(
    inputs.map(({ id }) => ({ id, form: 'legal' })),
    { variesValues: false },
  );
  const count = async (template: Template | undefined) => {
    if (template === undefined) throw new Error('A template is missing');
    const { body } = await sendAs(sender, target, legalRequest(template));
    return (body as { count?: number } | undefined)?.count ?? 0;
  };
  const rows = new Map<string, number>();
  await inParallel(inputs.entries(), CONNECTIONS, async ([index, { id }]) => {
    rows.set(id, await count(templates[index]));
  });
  return rows;
}
