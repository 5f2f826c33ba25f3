/**
 * `node --import tsx scripts/topologies.ts [jest arguments]`: runs the whole service on the topologies of
 * docs/topologies.md: two Redis behind one address, sentinels, a Redis Cluster, a replica set of three, TLS and
 * passwords. While partners sell, stops the node that accepts writes, and prints how calls were affected. Fails if
 * anything is lost or happens twice. Takes about 5 minutes on two cores. The TLS topology needs openssl and a
 * redis-server with TLS (on the PATH, or Debian's package). Jest arguments select a part.
 */

import { rm } from 'node:fs/promises';
import { CERTIFICATES, makeCertificates } from '../test/topologies/certificates.ts';
import type { OutageFigures } from '../test/topologies/probe.ts';
import { runExperiments } from './experiments.ts';

type Finding = {
  name: string;
  what: string;
  before: OutageFigures;
  during: OutageFigures;
  count: string;
  result: string;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function inWords({ placed, refusedMs, slowestMs, createdLateMs, expiredLateMs }: OutageFigures): string {
  const late = `hold_created up to ${seconds(createdLateMs)} late, hold_expired up to ${seconds(expiredLateMs)}`;
  return `${placed} holds, longest outage ${seconds(refusedMs)}, slowest ${seconds(slowestMs)}; ${late}`;
}

// Set the certificate authority before jest starts: Node reads it only at its start.
const { folder, ca } = makeCertificates();
const { code, findings } = await runExperiments<Finding>('topologies', ['--runInBand', ...process.argv.slice(2)], {
  [CERTIFICATES]: folder,
  NODE_EXTRA_CA_CERTS: ca,
});
await rm(folder, { recursive: true, force: true });
for (const { name, what, before, during, ...totals } of findings) {
  console.log(`\n${name}: ${what}`);
  console.log(`  before: ${inWords(before)}\n  during: ${inWords(during)}\n  ${totals.count}; ${totals.result}`);
}
process.exitCode = code;
