/** For a control: preloaded into a process of the service, makes it accept and read writes that are not journaled. */
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
