/** Program of stop-requests.system.test.ts. Writes its process id, then each request to stop, to the file given. */

import { appendFileSync } from 'node:fs';
import { watchStopRequests } from '../../src/development/start/stop-requests.ts';

const [file = ''] = process.argv.slice(2);
const note = (line: string): void => appendFileSync(file, `${line}\n`);
watchStopRequests(process.env, note, () => undefined);
note(String(process.pid));
setInterval(() => undefined, 1_000);
