/** A sample of a metric. */
export type Sample = { name: string; labels: Record<string, string>; value: number };
/** A metric with its samples, in the Prometheus text format 0.0.4. */
export type Family = { type: string; help: string; samples: Sample[] };

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HEAD = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|[+-]Inf|NaN)(?: -?[0-9]+)?$`, 'i');
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"\s*(,|$)/y;

/**
 * Parses the Prometheus exposition format. Throws if HELP or TYPE is missing, duplicated or after samples, a metric's
 * lines are not together, a sample is duplicated, or a line is malformed.
 */
export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current = '';
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, comment, name = '', rest = ''] = HEAD.exec(line) ?? [];
    if (comment === undefined) {
      const sample = sampleOf(line);
      const family = families.get(current);
      if (family === undefined || !sample.name.startsWith(current))
        throw new Error(`A sample under ${current || 'no metric'} that does not belong there: ${line}`);
      family.samples.push(sample);
      const identity = identityOf(sample);
      if (seen.has(identity)) throw new Error(`A sample comes twice: ${line}`);
      seen.add(identity);
      continue;
    }
    if (name !== current && families.has(name)) throw new Error(`The lines of ${name} are not together`);
    current = name;
    const family = families.get(name) ?? { type: '', help: '', samples: [] };
    families.set(name, family);
    const field = comment === 'HELP' ? 'help' : 'type';
    if (family[field] !== '' || family.samples.length > 0)
      throw new Error(`A HELP or TYPE that is repeated or after samples: ${line}`);
    family[field] = rest;
  }
  for (const [name, { type, help }] of families)
    if (type === '' || help === '') throw new Error(`${name} lacks a TYPE or HELP`);
  return families;
}

function identityOf({ name, labels }: Sample): string {
  const named = Object.entries(labels).map(([label, value]) => JSON.stringify([label, value]));
  return [name, ...named.toSorted()].join();
}

function sampleOf(line: string): Sample {
  const [, name, inside = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`A malformed line: ${line}`);
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < inside.length; ) {
    const [, label, text = ''] = LABEL.exec(inside) ?? [];
    if (label === undefined || label in labels) throw new Error(`Malformed labels: ${line}`);
    labels[label] = text;
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}
