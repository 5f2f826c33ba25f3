import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Environment variable with the folder of the certificates. scripts/topologies.ts creates them before it starts the
 * tests, because Node reads NODE_EXTRA_CA_CERTS when it starts.
 */
export const CERTIFICATES = 'TOPOLOGY_CERTIFICATES';

/** Files of a private CA, and of a local server whose certificate it signed. */
export const certificatesIn = (folder: string) => ({
  folder,
  ca: path.join(folder, 'ca.crt'),
  certificate: path.join(folder, 'server.crt'),
  key: path.join(folder, 'server.key'),
  /** Key and certificate in one file, as mongod requires. */
  both: path.join(folder, 'server.pem'),
  /** The key that members of a replica set share. */
  memberKey: path.join(folder, 'member.key'),
});

/** Creates the files with openssl. The certificates are valid for two days. */
export function makeCertificates() {
  const made = certificatesIn(mkdtempSync(path.join(tmpdir(), 'partner-booking-certificates-')));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe', cwd: made.folder });
  const newCertificate = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ');
  openssl(...newCertificate, '-subj', '/CN=Test authority', '-keyout', 'ca.key', '-out', made.ca);
  const issued = ['-CA', made.ca, '-CAkey', 'ca.key', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  openssl(
    ...[...newCertificate, '-subj', '/CN=server', ...issued, '-addext', 'basicConstraints=critical,CA:FALSE'],
    ...['-keyout', made.key, '-out', made.certificate],
  );
  writeFileSync(made.both, readFileSync(made.key, 'utf8') + readFileSync(made.certificate, 'utf8'));
  writeFileSync(made.memberKey, randomBytes(48).toString('base64'));
  for (const file of [made.memberKey, made.key, made.both]) chmodSync(file, 0o600);
  return made;
}
