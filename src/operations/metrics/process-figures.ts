import { availabilityInMemory } from '../../booking/availability/availability.service.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Progress } from '../../platform/progress.ts';
import type { Figures } from './figures.ts';

/** What this process keeps in memory of the database (ADR 0006, ADR 0008). */
export async function readMemory(db: Db): Promise<Figures> {
  const availability = availabilityInMemory(db);
  const cache = leasedCacheOf(db);
  const rules = cache.size();
  return {
    memory_kept_bytes: { rules: rules.bytes, availability: availability.bytes },
    memory_kept_entries: { rules: rules.entries, availability: availability.entries },
    memory_leased: Number(await cache.isConfirmable()),
    availability_reads_total: { memory: availability.reads.memory, claims: availability.reads.made },
  };
}

/** Whether what this process does again and again has stopped, as `/healthz` says it. */
export function readWork(progress: Pick<Progress, 'names' | 'stalls'>): Figures {
  const stalled = new Set(progress.stalls().map(({ name }) => name));
  const states = progress.names().map((work) => [work, Number(stalled.has(work))] as const);
  return { work_stalled: Object.fromEntries(states) };
}
