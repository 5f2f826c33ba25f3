import { eventually } from '../support/eventually.ts';
import type { Partner } from '../support/factories.ts';
import { blockCommands, environmentNamed, startServiceOnOwnMongod } from '../support/fail-points.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { endProcesses, startApi, startProcess } from '../support/worker-process.ts';
import { readWholeFeed } from './failover-readers.ts';
import { newPatience } from './insist.ts';

const DOOMED = 'doomed';
/** Time in which a dead worker's locks and number ranges expire, and a sweep sends its deliveries again. */
export const RECOVERED_WITHIN_MS = 60_000;

/** A service, a receiver, and processes that are killed during their work. */
export async function startKilling(...answering: Parameters<typeof startReceiver>) {
  const service = await startServiceOnOwnMongod({ RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_TIMEOUT_MS: '1000' });
  const receiver = await startReceiver(...answering);
  const doomedEnvironment = environmentNamed(service, DOOMED);
  return {
    service,
    receiver,
    startWorker: () => startProcess('workers/webhook-delivery.ts', service.environment),
    startDoomedWorker: () => startProcess('workers/webhook-delivery.ts', doomedEnvironment),
    startDoomedApi: () => startApi(doomedEnvironment),
    /** Blocks this command of the doomed process. */
    block: (command: string, collection: string) => blockCommands(service, { appName: DOOMED, command, collection }),
    /** Waits until `count` matching events are delivered and in the partner's feed; returns all ids in the feed. */
    recovered: async ({ api }: Partner, filter: Record<string, unknown>, count: number) => {
      const eventsOf = () => rowsOf(service, 'events', filter);
      const idsOf = async () => (await eventsOf()).map(({ _id }) => _id);
      const deliveriesOf = async () => rowsOf(service, 'deliveries', { eventId: { $in: await idsOf() } });
      const areDelivered = async () => {
        const rows = await deliveriesOf();
        return rows.length >= count && rows.every(({ state }) => state === 'succeeded');
      };
      await eventually('all are delivered', areDelivered, RECOVERED_WITHIN_MS);
      const wholeFeed = async () => {
        const { ids } = await readWholeFeed([api], newPatience(), AbortSignal.abort());
        return (await idsOf()).every((id) => ids.includes(id)) && ids;
      };
      const feed = await eventually('all are in the feed', wholeFeed, RECOVERED_WITHIN_MS);
      return { events: await eventsOf(), deliveries: await deliveriesOf(), feed };
    },
    stop: async () => {
      await endProcesses();
      await receiver.close();
      await service.stop();
    },
  };
}
