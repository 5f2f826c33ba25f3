/** A program for stop-requests.system.test.ts: `<file>`; appends each request to the file, and its own number at first. */

import { appendFileSync } from 'node:fs';
import { watchStopRequests } from '../../src/development/start/stop-requests.ts';

const [file = ''] = process.argv.slice(2);
const note = (line: string): void => appendFileSync(file, `${line}\n`);
watchStopRequests(process.env, note, () => undefined);
note(String(process.pid));
setInterval(() => undefined, 1_000);
