import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { loadConfig, PROCESS_NAMES, type ProcessName } from '../../src/process/config/config.ts';
import { isPublicAddress } from '../../src/webhooks/sender/endpoint-address.rules.ts';
import * as kubernetes from './kubernetes-manifests.ts';
import { projectFolder } from './planted-tree.ts';
import { variablesOf } from './settings-read.ts';

type Manifest = kubernetes.Manifest;

const BUILD_TIMEOUT_MS = 600_000;
const LONG_RUNNING = ['api', 'hold-expiry', 'webhook-delivery'];
const OPTIONAL = ['object-storage', 'prometheus-operator'];
const BACKUPS = ['backup', 'backup-to-bucket'] as const;
const OVERLAYS = ['sandbox', 'production', ...BACKUPS] as const;
const VOLUMES = ['name', 'emptyDir', 'persistentVolumeClaim'];
/** Memory that a process needs in addition to its heap (docs/adr/0023). */
const NON_HEAP_MB = 200;
const dockerfile = await readFile(path.join(projectFolder, 'Dockerfile'), 'utf8');
const HEAP_MB = Number(/--max-old-space-size=(\d+)/.exec(dockerfile)?.[1]);
/** The settings that are secret, with values in the required format; the last three are optional. */
const SECRETS: Record<string, string | undefined> = {
  MONGODB_URI: 'mongodb://user:word@mongodb.stores.svc/partner_booking?replicaSet=rs0&tls=true',
  REDIS_URL: 'rediss://:word@redis.stores.svc:6379',
  OPERATOR_API_KEY: randomBytes(32).toString('base64url'),
  ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
  ALERT_URL: undefined,
  ARCHIVE_ACCESS_KEY_ID: undefined,
  ARCHIVE_SECRET_ACCESS_KEY: undefined,
};
const rendered = new Map<string, Manifest[]>();
const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
const manifestsOf = (overlay: string): readonly Manifest[] => rendered.get(overlay) ?? [];

beforeAll(async () => {
  for (const overlay of ['sandbox', 'production']) rendered.set(overlay, await kubernetes.render(overlay));
  for (const backup of BACKUPS)
    rendered.set(backup, await kubernetes.render('production', [...OPTIONAL, backup], 'elsewhere'));
}, BUILD_TIMEOUT_MS);

describe.each(OVERLAYS)('the manifests of %s', (overlay) => {
  test('run every process', () => {
    const names = kubernetes.processesOf(manifestsOf(overlay)).map(({ name }) => name);
    const backup = BACKUPS.some((each) => each === overlay) ? ['backup'] : [];
    expect(names.toSorted()).toEqual([...LONG_RUNNING, 'migrate', ...backup].toSorted());
  });

  test('use only types and members of Kubernetes, KEDA and the Prometheus Operator', async () => {
    const checkedIds = new Set(BACKUPS.some((each) => each === overlay) ? manifestsOf('production').map(idOf) : []);
    expect(await kubernetes.schemaFaults(manifestsOf(overlay).filter((each) => !checkedIds.has(idOf(each))))).toEqual(
      [],
    );
  });

  test('let no process gain privileges, write to its image or reach the host or the cluster', () => {
    for (const { kind, pod, containers } of kubernetes.processesOf(manifestsOf(overlay))) {
      expect(pod.spec).toMatchObject({
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        automountServiceAccountToken: false,
        // Kubernetes would set ADMIN_PORT for a Service named admin.
        enableServiceLinks: false,
      });
      // A backup has a second container, which stores the output of the first.
      expect(containers).toHaveLength(kind === 'CronJob' ? 2 : 1);
      for (const { securityContext } of containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      for (const volume of pod.spec.volumes ?? []) expect(VOLUMES).toEqual(expect.arrayContaining(Object.keys(volume)));
    }
    const namespace = manifestsOf(overlay).find(({ kind }) => kind === 'Namespace');
    expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  test('give each process memory for its heap, processor time, and a command that is built', () => {
    for (const { container } of kubernetes.processesOf(manifestsOf(overlay))) {
      const { resources, command } = container;
      const memory = resources?.limits?.['memory'] ?? '';
      expect(Number(/^(\d+)Mi$/.exec(memory)?.[1])).toBeGreaterThanOrEqual(HEAP_MB + NON_HEAP_MB);
      expect(resources).toMatchObject({ requests: { memory, cpu: expect.any(String) } });
      const [program, script = ''] = command;
      const source = path.join(projectFolder, script.replace(/^dist\/(.*)\.js$/, '$1.ts'));
      expect([program, existsSync(source)]).toEqual(['node', true]);
    }
  });

  test('give each process exactly the settings that it reads, secrets from Secrets only, and it would start', () => {
    const manifests = manifestsOf(overlay);
    for (const process of kubernetes.processesOf(manifests)) {
      const variables = kubernetes.variablesIn(process, manifests);
      const name = process.name as ProcessName;
      const expected = PROCESS_NAMES.includes(name) ? variablesOf(name) : [];
      expect([name, variables.map(([variable]) => variable).toSorted()]).toEqual([name, expected]);
      for (const variable of process.container.env ?? []) {
        const { fieldRef, secretKeyRef } = variable.valueFrom ?? {};
        if (fieldRef === undefined)
          expect(secretKeyRef).toMatchObject({ name: expect.stringMatching(/./), key: variable.name });
      }
      expect(variables.filter(([variable, value]) => variable in SECRETS && value !== undefined)).toEqual([]);
      const settings = Object.fromEntries(variables.map(([variable, value]) => [variable, value ?? SECRETS[variable]]));
      expect(() => loadConfig(settings, name)).not.toThrow();
    }
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  test('open exactly the ports that each long-running process listens on, and scrape the one with metrics', () => {
    const manifests = manifestsOf(overlay);
    for (const process of kubernetes.processesOf(manifests).filter(({ kind }) => kind === 'Deployment')) {
      const { PORT, ADMIN_PORT, HEALTH_PORT } = Object.fromEntries(kubernetes.variablesIn(process, manifests));
      const ports = (process.container.ports ?? []).map(({ containerPort }) => String(containerPort));
      expect(ports).toEqual([PORT, ADMIN_PORT, HEALTH_PORT].filter((port) => port !== undefined));
      expect(process.pod.metadata.annotations?.['prometheus.io/port']).toBe(ADMIN_PORT ?? HEALTH_PORT);
    }
  });
});

test('KEDA asks Prometheus for the namespace of the overlay', () => {
  for (const [overlay, namespace] of [
    ['production', 'partner-booking'],
    ['backup', 'elsewhere'],
  ] as const) {
    const queries = manifestsOf(overlay).flatMap(
      ({ spec }) => spec?.triggers?.map(({ metadata }) => metadata.query) ?? [],
    );
    expect(queries).toHaveLength(5);
    for (const query of queries) expect(query).toContain(`up{namespace="${namespace}"}`);
  }
});

test('the CronJob in the alert rule writes backups to a persistent volume, or a temporary one to upload', async () => {
  const rules = await readFile(path.join(projectFolder, 'deploy/prometheus/rules.yml'), 'utf8');
  for (const overlay of BACKUPS) {
    const manifests = manifestsOf(overlay);
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
    const { spec } = manifestsOf('backup').find(({ kind }) => kind === 'PodMonitor') ?? {};
    for (const { relabelings } of spec?.podMetricsEndpoints ?? []) expect(await jobs(relabelings)).toEqual(names);
  });

  test('by PodMonitor finds one metrics port in each long-running process, and none in others', () => {
    const manifests = manifestsOf('backup');
    const { spec } = manifests.find(({ kind }) => kind === 'PodMonitor') ?? {};
    const monitored = spec?.podMetricsEndpoints?.map(({ port }) => port) ?? [];
    const found = kubernetes
      .processesOf(manifests)
      .flatMap(({ name, pod, container }) =>
        kubernetes.matches(pod.metadata.labels, spec?.selector ?? {})
          ? (container.ports ?? []).filter((port) => monitored.includes(port.name)).map(() => name)
          : [],
      );
    expect(found.toSorted()).toEqual(LONG_RUNNING.toSorted());
  });
});

describe('the network', () => {
  test.each([...LONG_RUNNING, 'migrate'])('policies restrict all traffic of %s', (name) => {
    expect(kubernetes.isRestricted(name, manifestsOf('sandbox'))).toBe(true);
  });

  test('control: without deny-all, traffic is unrestricted', () => {
    const others = manifestsOf('sandbox').filter(({ metadata }) => metadata.name !== 'deny-all');
    expect(kubernetes.isRestricted('migrate', others)).toBe(false);
  });

  test.each(['to-endpoints', 'to-alert-post', 'to-object-storage'])(
    'policy %s allows exactly the public addresses',
    (policy) => {
      const manifests = manifestsOf('backup');
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
      expect(
        addresses.filter((each) => kubernetes.isReachable(each, policy, manifests) !== isPublicAddress(each)),
      ).toEqual([]);
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
