import type { Db } from './mongo.ts';
import { gauge } from './process-metrics.ts';

const inUse = gauge({
  name: 'mongodb_connections_in_use',
  help: 'Connections to MongoDB on which a command is under way.',
});
const waiting = gauge({
  name: 'mongodb_connection_waiters',
  help: 'Commands that wait for a connection to MongoDB, of which the pool of each server has 64.',
});

/** Counts the use of the connections from now on. Call it once `db` is connected and idle. */
export function countPoolUse(db: Db): void {
  const [used, queued] = [inUse(db), waiting(db)];
  db.getClient()
    .on('connectionCheckOutStarted', () => queued.inc())
    .on('connectionCheckOutFailed', () => queued.dec())
    .on('connectionCheckedOut', () => {
      queued.dec();
      used.inc();
    })
    .on('connectionCheckedIn', () => used.dec());
}
