import type { Client } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, operatorOf, slotsOf } from '../support/factories.ts';
import type { Answering, WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';
import type { Exchange } from './responses.ts';
import { recording } from './responses.ts';

/** What a row is given. The service runs in sandbox mode with one process of each worker. */
export type World = {
  service: Service;
  operator: Client;
  /** The worker that makes the deliveries. */
  deliveryWorker: SpawnedProcess;
  /** The exchanges of partners' clients since the row began. */
  seen: Exchange[];
  /** A service of another configuration, without workers; the rows that ask for the same one share it. */
  serviceWith: (overrides: Record<string, string>) => Promise<Service>;
  /** A partner of its own for the row, granted these venues. */
  partner: (venueIds?: string[], service?: Service) => Promise<Partner>;
  /** A client of the partner listener with any key or none. */
  client: (apiKey: string | undefined, service?: Service) => Client;
  scene: (options?: SceneOptions) => Promise<Scene>;
  receiver: (answering?: Answering) => Promise<WebhookReceiver>;
};

/** The service, and a world of its own for each row, so that rows can run at the same time. */
type Worlds = { anyWorld: () => World; stop: () => Promise<void> };

type SceneOptions = { resources?: Json[]; venue?: Json; service?: Service };

/** A venue of 17 slots a day and two partners that may sell it. */
export type Scene = {
  service: Service;
  venue: Venue;
  partner: Partner;
  rival: Partner;
  /** All slots of the venue three days from now, as availability listed them. */
  slots: Json[];
  /** The id of a slot that the row has not used yet. */
  slot: () => string;
};

/** Starts what the rows need; `stop` ends all of it, receivers and further services too. */
export async function startWorlds(): Promise<Worlds> {
  // No limit here: rows that are about the limit have a service of their own, and the others must not meet it.
  const service = await startService({ RATE_LIMIT_PER_MINUTE: '0' });
  const [, , deliveryWorker] = ['hold-expiry', 'event-dispatch', 'webhook-delivery'].map((name) =>
    startProcess(`workers/${name}.ts`, service.environment),
  );
  if (deliveryWorker === undefined) throw new Error('There is no worker');
  const others = new Map<string, Promise<Service>>();
  const receivers: WebhookReceiver[] = [];
  const shared = {
    service,
    operator: operatorOf(service),
    deliveryWorker,
    serviceWith: (overrides: Record<string, string>) => {
      const name = JSON.stringify(overrides);
      const started = others.get(name) ?? startService(overrides);
      others.set(name, started);
      return started;
    },
    receiver: async (answering?: Answering) => {
      const receiver = await startReceiver(answering);
      receivers.push(receiver);
      return receiver;
    },
  };
  return {
    anyWorld: () => {
      const seen: Exchange[] = [];
      const partner: World['partner'] = async (venueIds = [], at = service) => {
        const made = await anyPartner(at, venueIds);
        return { ...made, api: recording(made.api, seen) };
      };
      return {
        ...shared,
        seen,
        partner,
        client: (apiKey, at = service) => recording(createClient(at.url, apiKey), seen),
        scene: (options = {}) => setScene(options.service ?? service, partner, options),
      };
    },
    stop: async () => {
      await endProcesses();
      await Promise.all(receivers.map((receiver) => receiver.close()));
      for (const other of others.values()) await (await other).stop();
      await service.stop();
    },
  };
}

async function setScene(
  service: Service,
  partnerOf: World['partner'],
  { resources, venue: fields }: SceneOptions,
): Promise<Scene> {
  const venue = await anyVenue(service, resources, fields);
  const [partner, rival] = await Promise.all([
    partnerOf([venue.id], service),
    partnerOf([venue.id], service),
  ]);
  const slots = await slotsOf(partner, venue.id, dateIn(3));
  const unused = slots.map((slot) => String(slot['slot_id']));
  return { service, venue, partner, rival, slots, slot: () => unused.shift() ?? '' };
}
