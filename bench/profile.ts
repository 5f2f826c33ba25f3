import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The fields of a V8 CPU profile that this file reads. */
export type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
};

export type Cost = { where: string; share: number };

const NO_WORK = new Set(['(idle)', '(program)', '(root)']);
const MAX_COSTS = 5;

/** Shares of CPU time by package, Node module or folder of the service, largest first. */
function costsOf({ nodes, samples, timeDeltas }: CpuProfile): Cost[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const usOf = new Map<string, number>();
  for (const [number, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || NO_WORK.has(frame.functionName)) continue;
    const where = placeOf(frame);
    usOf.set(where, (usOf.get(where) ?? 0) + (timeDeltas[number] ?? 0));
  }
  const sum = [...usOf.values()].reduce((all, us) => all + us, 0);
  return [...usOf].map(([where, us]) => ({ where, share: us / sum })).sort((a, b) => b.share - a.share);
}

function placeOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  const packagePath = url.split('/node_modules/').at(-1);
  if (url.includes('/node_modules/')) return /^(@[^/]+\/)?[^/]+/.exec(packagePath ?? '')?.[0] ?? url;
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/');
  const serviceFolder = /\/dist\/(src\/[^/]+(?:\/[^/]+(?=\/))?|[^/]+)/.exec(url)?.[1];
  if (serviceFolder !== undefined) return serviceFolder;
  return url === '' ? functionName || '(native)' : url;
}

/** One line per profile in the folder, with its largest costs. */
export async function largestCosts(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile')).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const profile = JSON.parse(await readFile(path.join(folder, file), 'utf8')) as CpuProfile;
      const costs = costsOf(profile).slice(0, MAX_COSTS);
      return `${file}: ${costs.map(({ where, share }) => `${where} ${Math.round(share * 100)} %`).join(', ')}`;
    }),
  );
}
