import { beforeAll, describe, expect, test } from '@jest/globals';
import { isPublicAddress } from '../../src/webhooks/sender/endpoint-address.rules.ts';
import { type Manifest, processesOf, render, schemaFaults } from './kubernetes-manifests.ts';
import { faultsOf } from './kubernetes-rules.ts';
import { isLimited, isReached } from './kubernetes-traffic.ts';

const BUILD_TIMEOUT_MS = 600_000;
const WORKERS = ['hold-expiry', 'webhook-delivery'];
const LONG_RUNNING = ['api', ...WORKERS];
const OVERLAYS = ['sandbox', 'production'] as const;
const rendered = new Map<string, Manifest[]>();
const copyOf = (overlay: string): Manifest[] => structuredClone(rendered.get(overlay) ?? []);

beforeAll(async () => {
  for (const overlay of OVERLAYS) rendered.set(overlay, await render(overlay));
}, BUILD_TIMEOUT_MS);

describe.each(OVERLAYS)('the manifests of %s', (overlay) => {
  test('run every process', () => {
    const names = processesOf(copyOf(overlay)).map(({ name }) => name);
    expect(names.toSorted()).toEqual([...LONG_RUNNING, 'migrate'].toSorted());
  });

  test('have nothing but what Kubernetes and KEDA know', async () => {
    expect(await schemaFaults(copyOf(overlay))).toEqual([]);
  });

  test('give each process what it reads, what it needs and nothing else', () => {
    expect(faultsOf(copyOf(overlay))).toEqual([]);
  });
});

test('control: a pod that may run as root, or that lacks a secret, is a fault', () => {
  const changed = copyOf('production');
  const named = (name: string) => changed.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
  delete named('api')?.spec?.template?.spec.securityContext;
  named('webhook-delivery')?.spec?.template?.spec.containers[0]?.env?.splice(2, 1);
  expect(faultsOf(changed)).toEqual(
    expect.arrayContaining(['api may run as root', 'webhook-delivery is not given ENCRYPTION_KEYS']),
  );
});

describe('the network', () => {
  test.each([...LONG_RUNNING, 'migrate'])('lets nothing in or out of %s but what a policy names', (name) => {
    expect(isLimited(name, copyOf('sandbox'))).toBe(true);
  });

  test('control: without the policies that deny, more passes', () => {
    const others = copyOf('sandbox').filter(({ metadata }) => metadata.name !== 'deny-all');
    expect(isLimited('migrate', others)).toBe(false);
  });

  test.each(['to-endpoints', 'to-alert-post'])(
    'leads by %s to the addresses that are public, and no others',
    (policy) => {
      const manifests = copyOf('production');
      const edges = manifests
        .filter(({ metadata }) => metadata.name === policy)
        .flatMap(({ spec }) => spec?.egress ?? [])
        .flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock?.except ?? []))
        .filter((network) => !network.includes(':'))
        .flatMap(addressesAround);
      const sampled = Array.from({ length: 4096 }, (_, n) => `${n >> 4}.${(n & 15) * 16 + 4}.77.9`);
      const odd = ['169.254.169.254', '10.1.2.3', '8.8.8.8', '2606:4700::1111', 'fd00:ec2::254', '::1'];
      const addresses = [...edges, ...sampled, ...odd, '64:ff9b::a00:1', '2002:a00:1::1'];
      expect(edges.length).toBeGreaterThan(80);
      expect(addresses.filter((each) => isReached(each, policy, manifests) !== isPublicAddress(each))).toEqual([]);
    },
  );
});

/** First and last address of a network, and those outside next to them. */
function addressesAround(network: string): string[] {
  const [base = '', bits] = network.split('/');
  const first = base.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const last = first + 2 ** (32 - Number(bits)) - 1;
  return [first - 1, first, last, last + 1]
    .filter((each) => each >= 0 && each < 2 ** 32)
    .map((each) => [24, 16, 8, 0].map((shift) => Math.floor(each / 2 ** shift) % 256).join('.'));
}
