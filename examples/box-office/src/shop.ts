import type { PartnerClient } from 'partner-booking-client';
import { createPartnerClient } from 'partner-booking-client';
import type { Availability } from './availability.ts';
import { createAvailability } from './availability.ts';
import type { Config } from './config.ts';
import type { Events } from './events.ts';
import { createEvents } from './events.ts';
import type { Operations } from './operations.ts';
import { createOperations } from './operations.ts';
import type { Orders } from './orders.ts';
import { createOrders } from './orders.ts';
import type { Store } from './store.ts';
import { openStore } from './store.ts';

/** The shop without its pages. */
export type Shop = {
  client: PartnerClient;
  store: Store;
  operations: Operations;
  availability: Availability;
  events: Events;
  orders: Orders;
};

/** @throws Error if another process uses the data folder */
export async function openShop({ baseUrl, apiKey, dataFolder, availabilityMaxAgeSeconds }: Config): Promise<Shop> {
  const store = await openStore(dataFolder);
  // Customers do not wait a minute for a page: give up earlier. The shop repeats unanswered calls in the background.
  const client = createPartnerClient({ baseUrl, apiKey, retries: { maxRetryAfterSeconds: 10 } });
  const operations = createOperations(store, client);
  const availability = createAvailability(client, availabilityMaxAgeSeconds * 1000);
  return {
    client,
    store,
    operations,
    availability,
    events: createEvents(store, client, availability),
    orders: createOrders(store, operations, availability),
  };
}
