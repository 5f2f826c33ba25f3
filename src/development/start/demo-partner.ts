/** The demo of `npm start`: a receiver of webhooks that runs from the start, and what is set up once the API runs. */

import { apiCaller, field, listField } from '../embedded/api-caller.ts';
import { keptPort, requireFreePort } from '../embedded/ports.ts';
import type { LogLine } from '../embedded/server-kinds.ts';
import { type Demo, demoTimeZone, provisionDemo, readDemoWebhookSecret } from './provision-demo-partner.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const dayMs = 24 * 60 * 60 * 1000;

export type ProvisionedDemo = Demo & {
  webhookUrl: string;
  /** The date of tomorrow at the venue, `YYYY-MM-DD`. */
  tomorrow: string;
  /** A slot of that day that is free now, for a command that works as pasted. */
  freeSlotId: string | undefined;
};

export type RunningDemo = {
  /**
   * Sees to it that the demo's data exists. A failure is logged in a sentence and returns undefined: the system
   * is of use without it.
   */
  provision: (api: {
    url: string;
    adminUrl: string;
    operatorApiKey: string;
  }) => Promise<ProvisionedDemo | undefined>;
  stop: () => Promise<void>;
};

/**
 * Starts the receiver on the port that the folder keeps for it, which prints a line for each webhook.
 *
 * @throws PortTakenError
 */
export async function startDemo(dataDir: string, log: LogLine): Promise<RunningDemo> {
  let secretKey = await readDemoWebhookSecret(dataDir);
  const port = await keptPort(dataDir, 'webhookReceiver');
  await requireFreePort(port, 'webhookReceiver', false, log);
  const receiver = await startWebhookReceiver(port, () => secretKey, log);
  return {
    stop: receiver.close,
    provision: async (api) => {
      try {
        const demo = await provisionDemo({ ...api, dataDir, webhookUrl: receiver.url });
        secretKey = demo.webhook.secretKey;
        return { ...demo, webhookUrl: receiver.url, ...(await lookAtTomorrow(api.url, demo)) };
      } catch (error) {
        log(`The demo could not be set up: ${error instanceof Error ? error.message : String(error)}`);
        return undefined;
      }
    },
  };
}

async function lookAtTomorrow(
  url: string,
  demo: Demo,
): Promise<Pick<ProvisionedDemo, 'tomorrow' | 'freeSlotId'>> {
  // This locale writes dates as YYYY-MM-DD.
  const tomorrow = new Intl.DateTimeFormat('en-CA', { timeZone: demoTimeZone }).format(Date.now() + dayMs);
  const query = new URLSearchParams({ venue_id: demo.venueId, date: tomorrow });
  const response = await apiCaller(url, demo.apiKey)(
    'GET',
    `/api/v1/slots/availability?${query.toString()}`,
    [200],
  );
  const free = listField(response, 'slots').find((slot) => field(slot, 'is_available') === true);
  const slotId = field(free, 'slot_id');
  return { tomorrow, freeSlotId: typeof slotId === 'string' ? slotId : undefined };
}
