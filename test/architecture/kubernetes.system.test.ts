import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { isPublicAddress } from '../../src/webhooks/sender/endpoint-address.rules.ts';
import { type Manifest, matches, processesOf, render, schemaFaults } from './kubernetes-manifests.ts';
import { faultsOf, isReachable, isRestricted } from './kubernetes-rules.ts';
import { projectFolder } from './planted-tree.ts';

const BUILD_TIMEOUT_MS = 600_000;
const WORKERS = ['hold-expiry', 'webhook-delivery'];
const LONG_RUNNING = ['api', ...WORKERS];
const OPTIONAL = ['object-storage', 'prometheus-operator'];
const BACKUPS = ['backup', 'backup-to-bucket'] as const;
const OVERLAYS = ['sandbox', 'production', ...BACKUPS] as const;
const rendered = new Map<string, Manifest[]>();
const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
const copyOf = (overlay: string): Manifest[] => structuredClone(rendered.get(overlay) ?? []);

beforeAll(async () => {
  for (const overlay of ['sandbox', 'production']) rendered.set(overlay, await render(overlay));
  for (const backup of BACKUPS) rendered.set(backup, await render('production', [...OPTIONAL, backup], 'elsewhere'));
}, BUILD_TIMEOUT_MS);

describe.each(OVERLAYS)('the manifests of %s', (overlay) => {
  test('run every process', () => {
    const names = processesOf(copyOf(overlay)).map(({ name }) => name);
    const backup = BACKUPS.some((each) => each === overlay) ? ['backup'] : [];
    expect(names.toSorted()).toEqual([...LONG_RUNNING, 'migrate', ...backup].toSorted());
  });

  test('use only types and members of Kubernetes, KEDA and the Prometheus Operator', async () => {
    const checkedIds = new Set(BACKUPS.some((each) => each === overlay) ? copyOf('production').map(idOf) : []);
    expect(await schemaFaults(copyOf(overlay).filter((each) => !checkedIds.has(idOf(each))))).toEqual([]);
  });

  test('give each process exactly its settings, secrets, ports and resources', () => {
    expect(faultsOf(copyOf(overlay))).toEqual([]);
  });
});

test('control: a pod that may run as root, or that lacks a secret, is a fault', () => {
  const changed = copyOf('production');
  const deploymentNamed = (name: string) =>
    changed.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
  delete deploymentNamed('api')?.spec?.template?.spec.securityContext;
  deploymentNamed('webhook-delivery')?.spec?.template?.spec.containers[0]?.env?.splice(2, 1);
  expect(faultsOf(changed)).toEqual(
    expect.arrayContaining(['api may run as root', 'webhook-delivery is not given ENCRYPTION_KEYS']),
  );
});

test('KEDA asks Prometheus for the namespace of the overlay', () => {
  for (const [overlay, namespace] of [
    ['production', 'partner-booking'],
    ['backup', 'elsewhere'],
  ] as const) {
    const queries = copyOf(overlay).flatMap(({ spec }) => spec?.triggers?.map(({ metadata }) => metadata.query) ?? []);
    expect(queries).toHaveLength(5);
    for (const query of queries) expect(query).toContain(`up{namespace="${namespace}"}`);
  }
});

test('the CronJob in the alert rule writes backups to a persistent volume, or a temporary one to upload', async () => {
  const rules = await readFile(path.join(projectFolder, 'deploy/prometheus/rules.yml'), 'utf8');
  for (const overlay of BACKUPS) {
    const manifests = copyOf(overlay);
    const { metadata, spec } = manifests.find(({ kind }) => kind === 'CronJob') ?? {};
    expect(rules).toContain(`cronjob="${metadata?.name}"`);
    const { volumes = [] } = spec?.jobTemplate?.spec.template.spec ?? {};
    const claims = manifests.filter(({ kind }) => kind === 'PersistentVolumeClaim').map((each) => each.metadata.name);
    const isKept = overlay === 'backup';
    expect(claims).toEqual(isKept ? ['partner-booking-backups'] : []);
    expect(volumes).toEqual([
      {
        name: 'backups',
        ...(isKept ? { persistentVolumeClaim: { claimName: claims[0] } } : { emptyDir: { sizeLimit: '20Gi' } }),
      },
    ]);
  }
});

describe('discovery', () => {
  type Relabeling = { target_label?: string; targetLabel?: string; replacement?: string };
  const jobs = async (relabelings: readonly Relabeling[]) => {
    const found = relabelings.find((each) => (each.target_label ?? each.targetLabel) === 'job');
    return LONG_RUNNING.map((component) => found?.replacement?.replace('$1', component));
  };
  const read = async (file: string) =>
    parse(await readFile(path.join(projectFolder, 'deploy/prometheus', file), 'utf8')) as {
      scrape_configs: { job_name: string; relabel_configs: Relabeling[] }[];
    };

  test('gives each process the job name of scrape.yml, by annotations and by PodMonitor', async () => {
    const names = (await read('scrape.yml')).scrape_configs.map((each) => each.job_name);
    const [byAnnotation] = (await read('scrape-kubernetes.yml')).scrape_configs;
    expect(await jobs(byAnnotation?.relabel_configs ?? [])).toEqual(names);
    const { spec } = copyOf('backup').find(({ kind }) => kind === 'PodMonitor') ?? {};
    for (const { relabelings } of spec?.podMetricsEndpoints ?? []) expect(await jobs(relabelings)).toEqual(names);
  });

  test('by PodMonitor finds one metrics port in each long-running process, and none in others', () => {
    const manifests = copyOf('backup');
    const { spec } = manifests.find(({ kind }) => kind === 'PodMonitor') ?? {};
    const monitored = spec?.podMetricsEndpoints?.map(({ port }) => port) ?? [];
    const found = processesOf(manifests).flatMap(({ name, pod, container }) =>
      matches(pod.metadata.labels, spec?.selector ?? {})
        ? (container.ports ?? []).filter((port) => monitored.includes(port.name)).map(() => name)
        : [],
    );
    expect(found.toSorted()).toEqual(LONG_RUNNING.toSorted());
  });
});

describe('the network', () => {
  test.each([...LONG_RUNNING, 'migrate'])('policies restrict all traffic of %s', (name) => {
    expect(isRestricted(name, copyOf('sandbox'))).toBe(true);
  });

  test('control: without deny-all, traffic is unrestricted', () => {
    const others = copyOf('sandbox').filter(({ metadata }) => metadata.name !== 'deny-all');
    expect(isRestricted('migrate', others)).toBe(false);
  });

  test.each(['to-endpoints', 'to-alert-post', 'to-object-storage'])(
    'policy %s allows exactly the public addresses',
    (policy) => {
      const manifests = copyOf('backup');
      const edges = manifests
        .filter(({ metadata }) => metadata.name === policy)
        .flatMap(({ spec }) => spec?.egress ?? [])
        .flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock?.except ?? []))
        .filter((network) => !network.includes(':'))
        .flatMap(addressesAround);
      const sampled = Array.from({ length: 4096 }, (_, n) => `${n >> 4}.${(n & 15) * 16 + 4}.77.9`);
      const special = ['169.254.169.254', '10.1.2.3', '8.8.8.8', '2606:4700::1111', 'fd00:ec2::254', '::1'];
      const addresses = [...edges, ...sampled, ...special, '64:ff9b::a00:1', '2002:a00:1::1'];
      expect(edges.length).toBeGreaterThan(80);
      expect(addresses.filter((each) => isReachable(each, policy, manifests) !== isPublicAddress(each))).toEqual([]);
    },
  );
});

/** The first and last address of a network, and the neighbours just outside. */
function addressesAround(network: string): string[] {
  const [base = '', bits] = network.split('/');
  const first = base.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const last = first + 2 ** (32 - Number(bits)) - 1;
  return [first - 1, first, last, last + 1]
    .filter((each) => each >= 0 && each < 2 ** 32)
    .map((each) => [24, 16, 8, 0].map((shift) => Math.floor(each / 2 ** shift) % 256).join('.'));
}
