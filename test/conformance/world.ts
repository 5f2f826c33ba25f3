import { type Client, createClient } from '../support/client.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, operatorOf, slotsOf } from '../support/factories.ts';
import type { Answering, Receivers, WebhookReceiver } from '../support/receiver.ts';
import type { Listeners } from '../support/service-environment.ts';
import type { Internals } from './internals.ts';
import { type Exchange, missingResponses, recording } from './responses.ts';
import { NotTried, type Row } from './row.ts';

/** The argument of a row: a deployment in sandbox mode with workers, over HTTP. */
export type World = {
  deployment: Listeners;
  operator: Client;
  /** The exchanges of the partners' clients since the row began. */
  seen: Exchange[];
  /** A new partner with grants for these venues. */
  partner: (venueIds?: string[], at?: Listeners) => Promise<Partner>;
  /** A client of the partner listener with any key or none. */
  client: (apiKey: string | undefined, at?: Pick<Listeners, 'url'>) => Client;
  scene: (options?: SceneOptions) => Promise<Scene>;
  receiver: (answering?: Answering) => Promise<WebhookReceiver>;
};

/** Each row has its own world, so that rows can run concurrently. `made`: the ids that all worlds have created. */
export type Worlds = { anyWorld: () => World; made: { partners: string[]; venues: string[] } };

type SceneOptions = { resources?: Json[]; venue?: Json; at?: Listeners };

/** A venue of 17 slots a day and two partners that may sell it. */
export type Scene = {
  venue: Venue;
  partner: Partner;
  rival: Partner;
  /** All slots of the venue three days from now, as availability returned them. */
  slots: Json[];
  /** The id of a slot that the row has not used yet. */
  slot: () => string;
};

/** Worlds on a deployment. `receivers.missing`: why the deployment can reach no receiver of this process. */
export function createWorlds(deployment: Listeners, receivers: Receivers | { missing: string }): Worlds {
  const made: Worlds['made'] = { partners: [], venues: [] };
  const operator = operatorOf(deployment);
  const receiver = async (answering?: Answering) => {
    if ('missing' in receivers) throw new NotTried(receivers.missing);
    return receivers.open(answering);
  };
  const anyWorld = (): World => {
    const seen: Exchange[] = [];
    const partner: World['partner'] = async (venueIds = [], at = deployment) => {
      const { api, ...rest } = await anyPartner(at, venueIds);
      if (at === deployment) made.partners.push(rest.id);
      return { ...rest, api: recording(api, seen) };
    };
    return {
      deployment,
      operator,
      seen,
      partner,
      receiver,
      client: (apiKey, at = deployment) => recording(createClient(at.url, apiKey), seen),
      scene: async ({ resources, venue: fields, at = deployment } = {}) => {
        const venue = await anyVenue(at, resources, fields);
        if (at === deployment) made.venues.push(venue.id);
        const [seller, rival] = await Promise.all([partner([venue.id], at), partner([venue.id], at)]);
        const slots = await slotsOf(seller, venue.id, dateIn(3));
        const unused = slots.map((slot) => String(slot['slot_id']));
        return { venue, partner: seller, rival, slots, slot: () => unused.shift() ?? '' };
      },
    };
  };
  return { anyWorld, made };
}

/**
 * Runs a row in its own world; rejects if the service breaks the rule. Returns the row's responses that were not seen.
 * @throws NotTried if the deployment lacks something that the row needs
 */
export async function runRow(row: Row, worlds: Worlds, internals?: Internals): Promise<string[]> {
  const world = worlds.anyWorld();
  if (row.needs === undefined) await row.check(world);
  else if (internals === undefined) throw new NotTried('settings, rows or logs of the service itself');
  else await row.check(world, internals);
  return missingResponses(row.responses ?? [], world.seen);
}
