import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { eventually } from '../support/eventually.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, freeSlotIds, placeHold, subscribe } from '../support/factories.ts';
import { blockCommands } from '../support/fail-points.ts';
import type { OwnServer } from '../support/own-servers.ts';
import { ownMongod } from '../support/own-servers.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, START_DEADLINE_MS, startProcess } from '../support/worker-process.ts';

const HOLDS = 60;

let mongod: OwnServer;
let service: Service;
let receiver: WebhookReceiver;
let partner: Partner;
let slotIds: string[];
beforeAll(async () => {
  mongod = await ownMongod();
  await mongod.start();
  service = await startService({
    MONGODB_URI: mongod.uri,
    HOLD_TTL_SECONDS: '1',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  receiver = await startReceiver();
  const venue = await anyVenue(service, [{ duration_minutes: 15 }]);
  partner = await anyPartner(service, [venue.id]);
  await subscribe(partner, receiver.url);
  await subscribe(partner, `${receiver.url}?second`);
  slotIds = [...(await freeSlotIds(partner, venue.id)), ...(await freeSlotIds(partner, venue.id, dateIn(4)))];
});
afterAll(async () => {
  await endProcesses();
  await receiver.close();
  await service.stop();
  await mongod.discard();
});

/** A worker that MongoDB knows by name, so that its commands alone can be held up. */
function startNamed(file: string, appName: string): SpawnedProcess {
  const uri = `${mongod.uri}&appName=${appName}`;
  return startProcess(file, { ...service.environment, MONGODB_URI: uri });
}

async function kill(process: SpawnedProcess): Promise<void> {
  process.signal('SIGKILL');
  await process.exited;
}

test(`an expiry worker killed in the middle of ${HOLDS} lapsed holds loses none and expires none twice`, async () => {
  const appName = 'doomed-expiry';
  const block = await blockCommands(service, {
    appName,
    command: 'update',
    collection: 'reservations',
  });
  const doomed = startNamed('workers/hold-expiry.ts', appName);
  const wanted = slotIds.splice(0, HOLDS);
  const holds = await Promise.all(wanted.map((slotId) => placeHold(partner, slotId)));
  const readAll = (): Promise<Reservation[]> =>
    rowsOf(service, 'reservations', { _id: { $in: holds.map(({ hold_id }) => hold_id) } });

  await block.met();
  await kill(doomed);
  const left = (await readAll()).filter(({ status }) => status === 'ACTIVE').length;
  await block.lift();
  startNamed('workers/hold-expiry.ts', 'survivor-expiry');
  const areExpired = async () => (await readAll()).every(({ status }) => status === 'EXPIRED');
  await eventually('all are expired', areExpired, START_DEADLINE_MS);

  expect(left).toBeGreaterThan(0);
  const ends = new Set((await readAll()).map(({ outbox }) => outbox.map(({ type }) => type).join()));
  expect(ends).toEqual(new Set(['hold_created,hold_expired']));
});
