import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { commandTransport } from '../../packages/client/src/certification/command-transport.ts';
import type { Report } from '../../packages/client/src/certification/report.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { hostedService } from '../support/service-host.ts';
import { anyCandidate } from './certification-scene.ts';
import { certifyCommand, writeProfile } from './command-line.ts';

/** An integration as a program, in another style than the client. It only reads venues and places holds. */
const PROGRAM = `
const [, , action] = process.argv;
const { PARTNER_BASE_URL, PARTNER_API_KEY } = process.env;
let text = '';
for await (const chunk of process.stdin) text += chunk;
const input = JSON.parse(text);
const call = async (path, body) => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const headers = { 'x-api-key': PARTNER_API_KEY, 'content-type': 'application/json' };
  const response = await fetch(PARTNER_BASE_URL + path, { ...init, headers });
  return response.json();
};
if (action === 'list_venues') {
  console.log(JSON.stringify({ venues: (await call('/api/v1/partner/venues')).data }));
} else if (action === 'place_hold') {
  const { order_id: idempotency_key, slot_id } = input;
  console.log(JSON.stringify(await call('/api/v1/partner/holds', { slot_id, idempotency_key })));
} else {
  console.error('cannot ' + action);
  process.exit(3);
}
`;

const service = await hostedService({ hasWorkers: true });
afterAll(() => service.stop());
const candidate = await anyCandidate(service);
const file = path.join(await temporaryFolder(), 'certify.mjs');
await writeFile(file, PROGRAM);

test('a command runs once for each action, with the proxy as its base URL; an unsupported action is a finding', async () => {
  const profile = await writeProfile({ actions: { command: [process.execPath, file] } });
  const only = 'venues-listed,hold-placed,hold-answer-lost,hold-released';
  const { code, out } = await certifyCommand(candidate, ['--profile', profile, '--only', only, '--json']);
  const report = JSON.parse(out) as Report;
  const outcomes = report.scenarios.filter(({ id }) => only.split(',').includes(id));
  expect(Object.fromEntries(outcomes.map(({ id, outcome, finding }) => [id, [outcome, finding]]))).toEqual({
    'venues-listed': ['passed', null],
    'hold-placed': ['passed', null],
    'hold-released': ['failed', 'release_hold: the command ended with exit code 3: cannot release_hold'],
    'hold-answer-lost': ['passed', null],
  });
  expect(code).toBe(1);
});

test('a missing command is named', async () => {
  const environment = { PARTNER_BASE_URL: service.url, PARTNER_API_KEY: candidate.apiKey };
  const { signal } = new AbortController();
  const missing = commandTransport(['/nowhere/certify'], environment, signal)('reconcile', {});
  await expect(missing).rejects.toThrow('reconcile got no answer: ENOENT');
});
