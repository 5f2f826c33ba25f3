import { randomUUID } from 'node:crypto';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { anyPackage, buyPackage, type Json, operatorOf } from '../support/factories.ts';
import { nextDays, startScene } from '../support/scene.ts';
import { startService } from '../support/service.ts';
import { startCutProxy } from './cut-proxy.ts';

/** A service that reaches its own mongod through a proxy, which loses messages on demand. */
export async function startWorld(mongodUri: string) {
  const proxy = await startCutProxy(Number(new URL(mongodUri).port));
  // The driver gets no notice of a fault, because no member changes its state. Polling often makes it recover soon.
  const options = 'directConnection=true&serverMonitoringMode=poll&minHeartbeatFrequencyMS=10';
  const MONGODB_URI = `mongodb://127.0.0.1:${proxy.port}/in_doubt?${options}`;
  // Use production's leases: the tests' shorter ones would end while the driver sends a command twice.
  const environment = { MONGODB_URI, RATE_LIMIT_PER_MINUTE: '0', CACHE_LEASE_MS: '1000' };
  const service = await startService(environment);
  const { venue, partner, slot } = await startScene(service, {
    resources: [{ duration_minutes: 5 }],
    days: nextDays(3),
  });
  return {
    service,
    proxy,
    partner,
    operator: operatorOf(service),
    venueId: venue.id,
    packageId: await anyPackage(service, partner, [venue.id]),
    /** A slot that nothing else uses. */
    anySlot: slot,
    stop: async () => {
      await service.stop();
      await proxy.close();
    },
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

export const anyKey = (): string => randomUUID();

let phones = 9_800_000_000;

/** A unique phone number. */
export function anyPhone(): string {
  phones += 1;
  return `+91${phones}`;
}

/** A new customer with ten credits. */
export async function anyCustomer({ partner, packageId }: World): Promise<{ phone: string; purchaseId: string }> {
  const phone = anyPhone();
  const purchase = await buyPackage(partner, packageId, { customer_phone: phone });
  return { phone, purchaseId: String(purchase['id']) };
}

/** Reads the latest data, even if no majority has acknowledged it. */
const NOW = { readConcern: { level: 'local' as const } };

/** `status: events` of each reservation that matches `filter`. */
export async function reservations({ service }: World, filter: Json): Promise<string[]> {
  const rows = await service.context.db.collection<Reservation>('reservations').find(filter, NOW).toArray();
  return rows.map(({ status, outbox }) => `${status}: ${outbox.map(({ type }) => type).join(', ')}`).sort();
}

/** Counts the matching rows of a collection. */
export function countOf({ service }: World, collection: string, filter: Json): Promise<number> {
  return service.context.db.collection(collection).countDocuments(filter, NOW);
}

export async function rowNow({ service }: World, collection: string, id: string): Promise<Json | null> {
  return service.context.db.collection(collection).findOne({ _id: id as never }, NOW);
}

/** The remaining credits of a purchase. */
export async function creditsOf(world: World, purchaseId: string): Promise<unknown> {
  return (await rowNow(world, 'package_purchases', purchaseId))?.['creditsRemaining'];
}
