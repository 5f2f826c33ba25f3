// Prints the npm packages installed in the current folder as CycloneDX 1.5: name, version, hash and licence. The
// image's build runs it. `npm sbom --omit=dev` differs from `npm ci`: it omits express and lists tools of workspaces.
import { readFileSync } from 'node:fs';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const manifest = read('package.json');
const { packages } = read('node_modules/.package-lock.json');

const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function componentOf([place, { version, integrity, license }]) {
  const name = place.split('node_modules/').at(-1);
  const [, hash] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': place,
    name,
    version,
    purl: purlOf(name, version),
    ...(hash && { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }),
    ...(license && { licenses: [{ expression: license }] }),
  };
}

const { name, version } = manifest;
const sbom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: { type: 'application', 'bom-ref': name, name, version, purl: purlOf(name, version) },
  },
  components: Object.entries(packages)
    .filter(([, { link }]) => link !== true)
    .map(componentOf),
};
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`);
