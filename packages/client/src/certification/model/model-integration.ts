import type { PartnerClient } from '../../client.ts';
import { createPartnerClient } from '../../client.ts';
import type { ActionInputs, ActionName, Outcome, Transport } from '../actions.ts';
import { UnusableAnswer } from '../scenario.ts';
import { reasonOf } from '../transports.ts';
import { createCatalogue } from './catalogue.ts';
import type { Defect, Has } from './defects.ts';
import { createKeys } from './keys.ts';
import { createOrders } from './orders.ts';
import type { Receiver } from './receiver.ts';
import { startReceiver } from './receiver.ts';

export type ModelOptions = {
  baseUrl: string;
  apiKey: string;
  defects?: readonly Defect[];
};

export type ModelIntegration = { transport: Transport; webhookUrl: string; close(): Promise<void> };

type Actions = { [Name in ActionName]: (input: ActionInputs[Name]) => Promise<Outcome<Name>> };

/** Starts a small integration that does everything right, apart from `defects`. */
export async function startModelIntegration({
  baseUrl,
  apiKey,
  defects = [],
}: ModelOptions): Promise<ModelIntegration> {
  const has: Has = (defect) => defects.includes(defect);
  const client = clientOf(baseUrl, apiKey, has);
  const single = createPartnerClient({ baseUrl, apiKey, retries: { tries: 1 } });
  const catalogue = createCatalogue(client, has);
  const receiver = await startReceiver((event, isDelivered) => {
    if (!isDelivered || !has('webhooks-leave-cache')) catalogue.noteChange(event);
  }, has);
  const actions: Actions = {
    list_venues: () => catalogue.listVenues(),
    list_resources: ({ venue_id }) => catalogue.listResources(venue_id),
    list_slots: ({ venue_id, date }) => catalogue.listSlots(venue_id, date),
    ...createOrders(client, createKeys(client, single, has), has),
    set_webhook_secret: async ({ secret_key }) => {
      receiver.setSecret(secret_key);
      return {};
    },
    list_handled_events: async () => ({ event_ids: [...receiver.handledIds] }),
    reconcile: feedReader(client, receiver, has),
  };
  return {
    transport: async (action, input) => {
      try {
        return await actions[action](input as never);
      } catch (error) {
        throw new UnusableAnswer(`${action} failed: ${reasonOf(error)}.`, { cause: error });
      }
    },
    webhookUrl: receiver.url,
    close: receiver.close,
  };
}

function clientOf(baseUrl: string, apiKey: string, has: Has): PartnerClient {
  const withoutRetryAfter = async (request: Request) => {
    const { status, headers, body } = await fetch(request);
    const others = [...headers].filter(([name]) => name !== 'retry-after');
    return new Response(body, { status, headers: others });
  };
  return createPartnerClient({
    baseUrl,
    apiKey,
    ...(has('ignores-retry-after') ? { fetch: withoutRetryAfter } : {}),
    ...(has('impatient') ? { timeoutMs: 1500 } : {}),
    ...(has('impatient') || has('order-dies-with-its-connection') || has('order-dies-of-html')
      ? { retries: { tries: 1 } }
      : {}),
  });
}

/** Reads the feed from the last position; the first time, from the time when the model started. */
function feedReader(client: PartnerClient, receiver: Receiver, has: Has): Actions['reconcile'] {
  const since = new Date().toISOString();
  let after: string | undefined;
  return async () => {
    const query = after === undefined ? { since } : { after };
    for await (const page of client.pages('listEvents', { query })) {
      for (const event of page.data) receiver.takeFromFeed(event);
      after = page.next_cursor;
      if (has('first-feed-page-only')) break;
    }
    return {};
  };
}
