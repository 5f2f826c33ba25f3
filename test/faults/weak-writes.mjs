/** Loaded before a process of the service, this makes it acknowledge, and read, what no journal has: for a control alone. */
import { createRequire } from 'node:module';

const { Connection } = createRequire(import.meta.url)('mongoose');
const { openUri } = Connection.prototype;
Connection.prototype.openUri = function openWeakly(uri, options) {
  return openUri.call(this, uri, {
    ...options,
    writeConcern: { w: 1, journal: false },
    readConcernLevel: 'local',
  });
};
