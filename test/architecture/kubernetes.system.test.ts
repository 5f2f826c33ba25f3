import { beforeAll, describe, expect, test } from '@jest/globals';
import { formatPortRanges, WEBHOOK_PORTS } from '../../src/config/port-ranges.rules.ts';
import { isPublicAddress } from '../../src/sender/endpoint-address.rules.ts';
import type { Container, Manifest, PodTemplate } from './kubernetes-manifests.ts';
import { processesOf, render, schemaFaults } from './kubernetes-manifests.ts';
import { faultsOf } from './kubernetes-rules.ts';
import { isReached, trafficOf } from './kubernetes-traffic.ts';

const BUILD_TIMEOUT_MS = 600_000;
const WORKERS = ['hold-expiry', 'webhook-delivery'];
const LONG_RUNNING = ['api', ...WORKERS];
const OVERLAYS = ['sandbox', 'production'] as const;
const rendered = new Map<string, Manifest[]>();
const copyOf = (overlay: string): Manifest[] => structuredClone(rendered.get(overlay) ?? []);

beforeAll(async () => {
  for (const overlay of OVERLAYS) rendered.set(overlay, await render(overlay));
}, BUILD_TIMEOUT_MS);

/** The manifests of production with one of them changed. */
function withChanged(kind: string, name: string, change: (manifest: Manifest) => void): Manifest[] {
  const manifests = copyOf('production');
  const found = manifests.find((each) => each.kind === kind && each.metadata.name.startsWith(name));
  if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
  change(found);
  return manifests;
}

const inPod = (change: (spec: PodTemplate['spec']) => void) => (name: string) =>
  withChanged(name === 'migrate' ? 'Job' : 'Deployment', name, ({ spec }) => {
    if (spec?.template !== undefined) change(spec.template.spec);
  });
const inContainer = (change: (container: Container) => void) =>
  inPod(({ containers }) => containers.forEach(change));

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

test('control: schemas reject unknown members and other types, of Kubernetes and of KEDA', async () => {
  const manifests = copyOf('production');
  const change = (kind: string, members: object) =>
    Object.assign(manifests.find((each) => each.kind === kind)?.spec ?? {}, members);
  change('Deployment', { replica: 3 });
  change('PodDisruptionBudget', { maxUnavailable: true });
  change('ScaledObject', { fallbak: {}, pollingInterval: '15 s' });
  const faults = (await schemaFaults(manifests)).join('\n');
  expect(faults).toMatch(/Deployment.*'replica' was unexpected/);
  expect(faults).toMatch(/PodDisruptionBudget\.spec\.maxUnavailable: True is not valid/);
  expect(faults).toMatch(/ScaledObject.*pollingInterval.*valid integer/);
  change('ScaledObject', { pollingInterval: 15 });
  expect(await schemaFaults(manifests)).toContain('ScaledObject.spec.fallbak is unknown');
});

describe('control: a fault is seen where', () => {
  test.each<[fault: string, broken: () => Manifest[]]>([
    ['api may run as root', () => inPod((pod) => delete pod.securityContext)('api')],
    [
      'migrate may make any system call',
      () => inPod((pod) => delete pod.securityContext?.seccompProfile)('migrate'),
    ],
    ['api can write to its file system', () => inContainer((each) => delete each.securityContext)('api')],
    [
      'hold-expiry has capabilities',
      () =>
        inContainer(({ securityContext }) =>
          Object.assign(securityContext?.capabilities ?? {}, { add: ['NET_RAW'] }),
        )('hold-expiry'),
    ],
    ['api has a token of the cluster', () => inPod((pod) => delete pod.automountServiceAccountToken)('api')],
    [
      'api is given the names of Services as settings',
      () => inPod((pod) => delete pod.enableServiceLinks)('api'),
    ],
    [
      'api reaches the host',
      () => inPod((pod) => pod.volumes?.push({ name: 'host', hostPath: { path: '/' } }))('api'),
    ],
    [
      'api has less memory than its heap and 200 MB',
      () =>
        inContainer(({ resources }) => Object.assign(resources?.limits ?? {}, { memory: '256Mi' }))('api'),
    ],
    [
      'hold-expiry runs what is not built: node dist/workers/holds.js',
      () =>
        inContainer((each) => Object.assign(each, { command: ['node', 'dist/workers/holds.js'] }))(
          'hold-expiry',
        ),
    ],
    [
      'hold-expiry is given ENCRYPTION_KEYS, which it does not read',
      () =>
        inContainer(({ env }) =>
          env?.push({
            name: 'ENCRYPTION_KEYS',
            valueFrom: { secretKeyRef: { name: 'encryption-keys', key: 'ENCRYPTION_KEYS' } },
          }),
        )('hold-expiry'),
    ],
    [
      'webhook-delivery is not given ENCRYPTION_KEYS',
      () => inContainer(({ env }) => env?.splice(2, 1))('webhook-delivery'),
    ],
    ['migrate is not given SERVICE_MODE', () => inContainer((each) => delete each.envFrom)('migrate')],
    [
      'api is given a value where a Secret belongs',
      () =>
        inContainer(({ env }) => Object.assign(env?.[0] ?? {}, { value: 'x', valueFrom: undefined }))('api'),
    ],
    [
      'api refers to a ConfigMap that is not there: api-settings',
      () =>
        inContainer(({ envFrom }) =>
          Object.assign(envFrom?.[3] ?? {}, { configMapRef: { name: 'api-settings' } }),
        )('api'),
    ],
    [
      'api would not start: HOLD_TTL_SECONDS must be at least 60 in production: less is for tests; leave it out for 600',
      () =>
        withChanged('ConfigMap', 'api-settings', ({ data }) =>
          Object.assign(data ?? {}, { HOLD_TTL_SECONDS: '5' }),
        ),
    ],
    [
      'api is not restarted when it stands still',
      () => inContainer((each) => delete each.livenessProbe)('api'),
    ],
    [
      'hold-expiry gets calls that it cannot serve',
      () =>
        inContainer(({ readinessProbe }) =>
          Object.assign(readinessProbe?.httpGet ?? {}, { path: '/healthz' }),
        )('hold-expiry'),
    ],
    [
      'api is killed while it stops',
      () => inPod((pod) => Object.assign(pod, { terminationGracePeriodSeconds: 30 }))('api'),
    ],
    ['api stops before callers know of it', () => inContainer((each) => delete each.lifecycle)('api')],
    [
      'hold-expiry has the ports 3002 and the settings 3003',
      () =>
        withChanged('ConfigMap', 'worker-settings', ({ data }) =>
          Object.assign(data ?? {}, { HEALTH_PORT: '3003' }),
        ),
    ],
    [
      'Service admin leads to a port that no pod has',
      () =>
        withChanged('Service', 'admin', ({ spec }) =>
          Object.assign(spec?.ports?.[0] ?? {}, { targetPort: 'http' }),
        ),
    ],
    [
      'PodDisruptionBudget api selects no pod',
      () =>
        withChanged('PodDisruptionBudget', 'api', ({ spec }) =>
          Object.assign(spec?.selector ?? {}, { matchLabels: { 'app.kubernetes.io/component': 'web' } }),
        ),
    ],
    [
      'Deployment api takes pods away before new ones are ready',
      () => withChanged('Deployment', 'api', ({ spec }) => delete spec?.strategy),
    ],
    [
      'ScaledObject hold-expiry asks for pbs_hold_oldest_seconds, which is not exposed',
      () => withQuery((query) => query.replace('pbs_hold_oldest_overdue_seconds', 'pbs_hold_oldest_seconds')),
    ],
    [
      'ScaledObject hold-expiry adds up what every API process says',
      () => withQuery((query) => query.replaceAll('max(pbs_h', 'sum(pbs_h')),
    ],
    [
      'ScaledObject hold-expiry asks for another queue',
      () => withQuery((query) => query.replaceAll('queue="hold-expiry"', 'queue="holds"')),
    ],
    [
      'ScaledObject hold-expiry scales at another age than half of that of an alert',
      () =>
        withChanged('ScaledObject', 'hold-expiry', ({ spec }) => {
          for (const { metadata } of spec?.triggers ?? []) metadata.threshold = '60';
        }),
    ],
    [
      'api has other containers',
      () => inPod(({ containers }) => containers.push(...structuredClone(containers)))('api'),
    ],
    [
      'api can gain privileges',
      () => inContainer(({ securityContext }) => delete securityContext?.allowPrivilegeEscalation)('api'),
    ],
    [
      'api is not given the memory that it may use',
      () => inContainer(({ resources }) => delete resources?.requests?.['memory'])('api'),
    ],
    [
      'api asks for no processor time',
      () => inContainer(({ resources }) => delete resources?.requests?.['cpu'])('api'),
    ],
    ['api is given REDIS_URL twice', () => inContainer(({ env }) => env?.push(...env.slice(1, 2)))('api')],
    [
      'api has a secret in a ConfigMap',
      () =>
        withChanged('ConfigMap', 'api-settings', ({ data }) =>
          Object.assign(data ?? {}, { OPERATOR_API_KEY: 'x' }),
        ),
    ],
    ['api is not watched while it starts', () => inContainer((each) => delete each.startupProbe)('api')],
    [
      'api is scraped at another port than that of its figures',
      () =>
        withChanged('Deployment', 'api', ({ spec }) =>
          Object.assign(spec?.template?.metadata.annotations ?? {}, { 'prometheus.io/port': '3000' }),
        ),
    ],
    [
      'Deployment api does not select its own pods',
      () =>
        withChanged('Deployment', 'api', ({ spec }) =>
          Object.assign(spec?.selector ?? {}, {
            matchLabels: { 'app.kubernetes.io/component': 'hold-expiry' },
          }),
        ),
    ],
    [
      'Deployment api does not spread its pods',
      () =>
        inPod(({ topologySpreadConstraints: [first] = [] }) =>
          Object.assign(first?.labelSelector ?? {}, { matchLabels: { app: 'api' } }),
        )('api'),
    ],
    [
      'HorizontalPodAutoscaler api scales web, which is not there',
      () =>
        withChanged('HorizontalPodAutoscaler', 'api', ({ spec }) =>
          Object.assign(spec?.scaleTargetRef ?? {}, { name: 'web' }),
        ),
    ],
    [
      'Something is in another namespace',
      () => withChanged('Service', 'admin', ({ metadata }) => Object.assign(metadata, { namespace: 'x' })),
    ],
    [
      'What pods need is not applied before them',
      () => withChanged('NetworkPolicy', 'to-mongodb', ({ metadata }) => delete metadata.labels),
    ],
    [
      'The namespace lets anything run',
      () => withChanged('Namespace', '', ({ metadata }) => delete metadata.labels),
    ],
    [
      'A Secret is in the repository',
      () => withChanged('Service', 'admin', (each) => Object.assign(each, { kind: 'Secret' })),
    ],
  ])('%s', (fault, broken) => {
    expect(faultsOf(broken())).toContain(fault);
  });

  const withQuery = (change: (query: string) => string) =>
    withChanged('ScaledObject', 'hold-expiry', ({ spec }) => {
      for (const { metadata } of spec?.triggers ?? []) metadata.query = change(metadata.query);
    });
});

describe('the network', () => {
  const stores = (port: number) =>
    ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'partner-booking/stores'].map(
      (peer) => `${port} ${peer}`,
    );
  const always = ['53 kubernetes.io/metadata.name', ...stores(27_017)];
  const ofWork = [...always, ...stores(6379), ...stores(26_379)];
  const internet = (ports: readonly string[]) =>
    ports.flatMap((port) => ['0.0.0.0/0', '2000::/3'].map((network) => `${port} ${network}`));
  const ofMonitoring = ['3002 partner-booking/monitoring'];
  const ofApi = ['3000 ingress', '3001 monitoring', '3001 operators'].map((each) =>
    each.replace(' ', ' partner-booking/'),
  );
  const endpointPorts = formatPortRanges(WEBHOOK_PORTS).split(', ');

  test.each([
    ['migrate', [], always],
    ['api', ofApi, ofWork],
    ['hold-expiry', ofMonitoring, ofWork],
    ['webhook-delivery', ofMonitoring, [...ofWork, ...internet(endpointPorts)]],
  ])('lets %s be reached by who needs it, and reach what it needs', (name, from, to) => {
    expect(trafficOf(name, copyOf('sandbox'))).toEqual({ isLimited: true, from, to: to.toSorted() });
  });

  test('lets out alerts and traces where there are some, and nothing of the migration', () => {
    const ofComponents = [...internet(['443']), '4318 partner-booking/tracing'];
    for (const name of LONG_RUNNING)
      expect(trafficOf(name, copyOf('production')).to).toEqual(expect.arrayContaining(ofComponents));
    expect(trafficOf('migrate', copyOf('production')).to).toEqual(always.toSorted());
  });

  test('control: without the policies that deny, and with one that allows more, it would be seen', () => {
    const others = copyOf('sandbox').filter(({ metadata }) => metadata.name !== 'deny-all');
    expect(trafficOf('migrate', others).isLimited).toBe(false);
    const open = withChanged('NetworkPolicy', 'from-partners', ({ spec }) => delete spec?.ingress?.[0]?.from);
    expect(trafficOf('api', open).from).toContain('3000 anybody');
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
      const sampled = Array.from(
        { length: 256 * 16 },
        (_, index) => `${index >> 4}.${(index & 15) * 16 + 4}.77.9`,
      );
      const odd = [
        '169.254.169.254',
        '10.1.2.3',
        '8.8.8.8',
        '2606:4700::1111',
        'fd00:ec2::254',
        '::1',
        '64:ff9b::a00:1',
        '2002:a00:1::1',
      ];
      const addresses = [...edges, ...sampled, ...odd];
      expect(edges.length).toBeGreaterThan(80);
      expect(
        addresses.filter((each) => isReached(each, policy, manifests) !== isPublicAddress(each)),
      ).toEqual([]);
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

describe('production', () => {
  test('scales every process by itself, from two on, and loses one pod of a kind at a time', () => {
    const manifests = copyOf('production');
    const named = (kind: string) =>
      manifests.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);
    expect(named('PodDisruptionBudget').toSorted()).toEqual(LONG_RUNNING.toSorted());
    expect(named('HorizontalPodAutoscaler')).toEqual(['api']);
    expect(named('ScaledObject').toSorted()).toEqual(WORKERS.toSorted());
    for (const { kind, spec } of manifests) {
      // An apply would set it back.
      if (kind === 'Deployment') expect(spec?.replicas).toBeUndefined();
      if (spec?.scaleTargetRef !== undefined)
        expect(spec.minReplicas ?? spec.minReplicaCount).toBeGreaterThan(1);
    }
  });
});
