/** Program of stop-requests.system.test.ts: `<file>`. Writes its process id to the file, then each request to stop. */

import { appendFileSync } from 'node:fs';
import { watchStopRequests } from '../../src/development/start/stop-requests.ts';

const [file = ''] = process.argv.slice(2);
const note = (line: string): void => appendFileSync(file, `${line}\n`);
watchStopRequests(process.env, note, () => undefined);
note(String(process.pid));
setInterval(() => undefined, 1_000);
