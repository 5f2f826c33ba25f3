/**
 * Joins texts in the exposition format of Prometheus, which repeat each other's metrics, into one that is valid: a
 * metric's HELP and TYPE once, its samples together below them. Every sample is named exactly as its metric.
 */
export function mergeExpositions(texts: readonly string[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>();
  for (const line of texts.flatMap((text) => text.split('\n')).filter((each) => each !== '')) {
    const [, comment, name = ''] = /^(?:# (HELP|TYPE) )?([a-zA-Z_:][\w:]*)/.exec(line) ?? [];
    const family = families.get(name) ?? { head: [], samples: [] };
    families.set(name, family);
    if (comment === undefined) family.samples.push(line);
    else if (!family.head.some((each) => each.startsWith(`# ${comment} `))) family.head.push(line);
  }
  const lines = [...families.values()].flatMap(({ head, samples }) => [...head, ...samples]);
  return lines.map((line) => `${line}\n`).join('');
}
