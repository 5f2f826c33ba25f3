/**
 * `npm run test:topologies`: runs the whole service on each topology of docs/topologies.md that can be started here (two Redis behind
 * one address, sentinels, a Redis Cluster, a replica set of three, TLS and passwords), takes the node away that takes the writes while
 * partners sell, and prints what they felt of it. Fails where anything was lost or happened twice. About 5 minutes on two cores. TLS needs openssl, and a
 * redis-server that is built with it (on the PATH, or of Debian's package). Further arguments are given to jest, to run a part.
 */

import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { CERTIFICATES, makeCertificates } from '../test/topologies/certificates.ts';
import type { Felt } from '../test/topologies/probe.ts';

const root = path.resolve(import.meta.dirname, '..');
const FINDINGS = path.join(root, 'test-results/topologies.jsonl');

type Finding = { name: string; what: string; before: Felt; during: Felt; count: string; result: string };

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function inWords({ placed, refusedMs, slowestMs, createdLateMs, expiredLateMs }: Felt): string {
  const late = `hold_created ${seconds(createdLateMs)} late at most, hold_expired ${seconds(expiredLateMs)}`;
  return `${placed} holds, none for ${seconds(refusedMs)} at most, slowest ${seconds(slowestMs)}; ${late}`;
}

await mkdir(path.dirname(FINDINGS), { recursive: true });
await rm(FINDINGS, { force: true });
// Node reads the authority when it starts.
const { folder, ca } = makeCertificates();
const args = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--runInBand'];
const jest = spawn(process.execPath, [...args, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    ...{ TEST_TIER: 'topologies', TOPOLOGY_FINDINGS: FINDINGS },
    ...{ [CERTIFICATES]: folder, NODE_EXTRA_CA_CERTS: ca },
  },
});
const code = await new Promise<number>((resolve) => jest.once('close', (ended) => resolve(ended ?? 1)));
await rm(folder, { recursive: true, force: true });
const lines = (await readFile(FINDINGS, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
for (const { name, what, before, during, ...found } of lines.map((line) => JSON.parse(line) as Finding)) {
  console.log(`\n${name}: ${what}`);
  console.log(
    `  before: ${inWords(before)}\n  during: ${inWords(during)}\n  ${found.count}; ${found.result}`,
  );
}
process.exitCode = code;
