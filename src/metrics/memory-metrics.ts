import { Counter, Gauge, Registry } from 'prom-client';
import { availabilityInMemory } from '../availability/availability.service.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';

/** What this process keeps in memory of the database (ADR 0037, ADR 0038), in the exposition format of Prometheus. */
export async function exposeMemory(db: Db): Promise<string> {
  const registers = [new Registry()];
  const labelNames = ['of'];
  const bytes = new Gauge({
    ...{ name: 'memory_kept_bytes', help: 'What the process keeps in memory of the database, as estimated.' },
    ...{ labelNames, registers },
  });
  const entries = new Gauge({
    ...{ name: 'memory_kept_entries', help: 'How many entries the process keeps in memory.' },
    ...{ labelNames, registers },
  });
  const availability = availabilityInMemory(db);
  const cache = leasedCacheOf(db);
  for (const [of, size] of Object.entries({ rules: cache.size(), availability })) {
    bytes.set({ of }, size.bytes);
    entries.set({ of }, size.entries);
  }
  new Gauge({
    name: 'memory_leased',
    help: 'Whether MongoDB confirms within half a lease that it is the primary, without which no hold is placed.',
    registers,
  }).set(Number(await cache.isConfirmable()));
  const reads = new Counter({
    ...{
      name: 'availability_reads_total',
      help: 'Reads of availability, sent from memory or made of claims.',
    },
    ...{ labelNames: ['from'], registers },
  });
  reads.inc({ from: 'memory' }, availability.reads.memory);
  reads.inc({ from: 'claims' }, availability.reads.made);
  return (await Promise.all(registers.map((each) => each.metrics()))).join('\n');
}
