import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ALERT_TIMES } from '../../src/alerts/alerts.service.ts';
import type { ProcessName } from '../../src/config/config.ts';
import { ConfigError, loadConfig, PROCESS_NAMES } from '../../src/config/config.ts';
import type { Labels, Manifest, Process, Selector } from './kubernetes-manifests.ts';
import { environmentOf, matches, processesOf } from './kubernetes-manifests.ts';
import { projectFolder } from './planted-tree.ts';
import { variablesOf } from './settings-read.ts';

const read = (file: string): string => readFileSync(path.join(projectFolder, file), 'utf8');

/** Of docs/adr/0041-a-heap-has-a-limit.md. */
const BESIDE_HEAP_MB = 200;
const HEAP_MB = Number(/--max-old-space-size=(\d+)/.exec(read('Dockerfile'))?.[1]);
/** What a process takes at most from SIGTERM to its end. */
const STOP_SECONDS = 25;
/** What is applied first, by its label (deploy/kubernetes/README.md). */
const BEFORE_PODS = ['Namespace', 'ServiceAccount', 'ConfigMap', 'NetworkPolicy'];
const SECRETS = [
  ...['MONGODB_URI', 'REDIS_URL', 'OPERATOR_API_KEY', 'ENCRYPTION_KEYS', 'ALERT_URL'],
  ...['ARCHIVE_ACCESS_KEY_ID', 'ARCHIVE_SECRET_ACCESS_KEY'],
];
/** Of the form that settings ask for. */
const SECRET_VALUES: Labels = {
  MONGODB_URI: 'mongodb://user:word@mongodb.stores.svc/partner_booking?replicaSet=rs0&tls=true',
  REDIS_URL: 'rediss://:word@redis.stores.svc:6379',
  OPERATOR_API_KEY: randomBytes(32).toString('base64url'),
  ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
};
/** At what age what waits is an alert, by the figure that tells it. */
const ALERT_AGES_MS: Readonly<Record<string, number>> = {
  pbs_hold_oldest_overdue_seconds: ALERT_TIMES.overdueMs,
  pbs_event_oldest_undispatched_seconds: ALERT_TIMES.undispatchedMs,
};
const METRICS = new Set(
  [...read('docs/guides/alerts-and-metrics.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name),
);

/** A sentence each about what a deployment of these manifests would do wrong. */
export function faultsOf(manifests: readonly Manifest[]): string[] {
  const processes = processesOf(manifests);
  return [
    ...processes.flatMap((each) =>
      [
        ...securityFaults(each),
        ...resourceFaults(each),
        ...settingFaults(each, manifests),
        ...(each.isJob ? [] : [...probeFaults(each), ...portFaults(each, manifests)]),
      ].map((fault) => `${each.name} ${fault}`),
    ),
    ...selectorFaults(manifests, processes),
    ...queryFaults(manifests),
    ...placeFaults(manifests),
  ];
}

const when = (rows: readonly (readonly [boolean, string])[]): string[] =>
  rows.filter(([isFault]) => isFault).map(([, fault]) => fault);

function securityFaults({ pod, container }: Process): string[] {
  const { securityContext: ofPod, volumes = [], ...spec } = pod.spec;
  const own = container.securityContext;
  return when([
    [pod.spec.containers.length !== 1, 'has other containers'],
    [ofPod?.runAsNonRoot !== true || ofPod.runAsUser !== 1000, 'may run as root'],
    [ofPod?.seccompProfile?.type !== 'RuntimeDefault', 'may make any system call'],
    [own?.readOnlyRootFilesystem !== true, 'can write to its file system'],
    [own?.allowPrivilegeEscalation !== false, 'can gain privileges'],
    [
      own?.capabilities?.drop?.includes('ALL') !== true || own.capabilities.add !== undefined,
      'has capabilities',
    ],
    [spec.automountServiceAccountToken !== false, 'has a token of the cluster'],
    // A Service named admin would set ADMIN_PORT.
    [spec.enableServiceLinks !== false, 'is given the names of Services as settings'],
    [
      volumes.some((volume) => Object.keys(volume).some((key) => !['name', 'emptyDir'].includes(key))),
      'reaches the host',
    ],
  ]);
}

function resourceFaults({ container: { resources, command } }: Process): string[] {
  const memoryMb = Number(/^(\d+)Mi$/.exec(resources?.limits?.['memory'] ?? '')?.[1] ?? 0);
  const source = command[1]?.replace(/^dist\/(.*)\.js$/, '$1.ts') ?? '';
  return when([
    [memoryMb < HEAP_MB + BESIDE_HEAP_MB, 'has less memory than its heap and 200 MB'],
    [
      resources?.requests?.['memory'] !== resources?.limits?.['memory'],
      'is not given the memory that it may use',
    ],
    [resources?.requests?.['cpu'] === undefined, 'asks for no processor time'],
    [
      command[0] !== 'node' || !existsSync(path.join(projectFolder, source)),
      `runs what is not built: ${command.join(' ')}`,
    ],
  ]);
}

function settingFaults(each: Process, manifests: readonly Manifest[]): string[] {
  const { given, missing } = environmentOf(each, manifests);
  const names = given.map(([name]) => name).toSorted();
  const wanted = PROCESS_NAMES.includes(each.name as ProcessName)
    ? variablesOf(each.name as ProcessName)
    : [];
  const secrets = (each.container.env ?? []).filter(
    ({ name, valueFrom }) => valueFrom?.secretKeyRef?.key === name && valueFrom.secretKeyRef.name !== '',
  );
  return [
    ...missing.map((name) => `refers to a ConfigMap that is not there: ${name}`),
    ...names
      .filter((name) => !wanted.includes(name))
      .map((name) => `is given ${name}, which it does not read`),
    ...wanted.filter((name) => !names.includes(name)).map((name) => `is not given ${name}`),
    ...names.filter((name, index) => names[index + 1] === name).map((name) => `is given ${name} twice`),
    ...when([
      [secrets.length !== (each.container.env ?? []).length, 'is given a value where a Secret belongs'],
      [
        given.some(([name, value]) => SECRETS.includes(name) && value !== undefined),
        'has a secret in a ConfigMap',
      ],
    ]),
    ...startFaults(each.name as ProcessName, given),
  ];
}

/** What the process itself would say of these settings. */
function startFaults(name: ProcessName, given: readonly (readonly [string, string | undefined])[]): string[] {
  try {
    loadConfig(Object.fromEntries(given.map(([key, value]) => [key, value ?? SECRET_VALUES[key]])), name);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => `would not start: ${fault}`);
    throw error;
  }
}

function probeFaults({ container, pod }: Process): string[] {
  const { startupProbe, livenessProbe, readinessProbe, ports = [], lifecycle } = container;
  const isAsked = (probe: typeof startupProbe, at: string) =>
    probe?.httpGet.path === at && probe.httpGet.port === ports[0]?.name;
  const before = lifecycle?.preStop?.sleep?.seconds ?? 0;
  return when([
    [!isAsked(startupProbe, '/healthz'), 'is not watched while it starts'],
    [!isAsked(livenessProbe, '/healthz'), 'is not restarted when it stands still'],
    [!isAsked(readinessProbe, '/readyz'), 'gets calls that it cannot serve'],
    [(pod.spec.terminationGracePeriodSeconds ?? 0) < before + STOP_SECONDS + 5, 'is killed while it stops'],
    [ports.some(({ name }) => name === 'partners') && before < 5, 'stops before callers know of it'],
  ]);
}

function portFaults(each: Process, manifests: readonly Manifest[]): string[] {
  const settings = Object.fromEntries(environmentOf(each, manifests).given);
  const { PORT, ADMIN_PORT, HEALTH_PORT } = settings;
  const expected = [PORT, ADMIN_PORT, HEALTH_PORT].filter((port) => port !== undefined);
  const ports = (each.container.ports ?? []).map(({ containerPort }) => String(containerPort));
  const scraped = each.pod.metadata.annotations?.['prometheus.io/port'];
  return when([
    [ports.join() !== expected.join(), `has the ports ${ports.join()} and the settings ${expected.join()}`],
    [scraped !== (ADMIN_PORT ?? HEALTH_PORT), 'is scraped at another port than that of its figures'],
  ]);
}

function selectorFaults(manifests: readonly Manifest[], processes: readonly Process[]): string[] {
  const labels = processes.map(({ pod }) => pod.metadata.labels);
  return manifests.flatMap(({ kind, metadata, spec }) => {
    const named: Selector[] =
      kind === 'Service' && spec?.selector !== undefined
        ? [{ matchLabels: spec.selector }]
        : [spec?.selector, spec?.podSelector].filter((selector) => selector !== undefined);
    const spread = spec?.template?.spec.topologySpreadConstraints ?? [];
    const own = spec?.template?.metadata.labels;
    const target = spec?.scaleTargetRef?.name;
    const ports = processes
      .filter(({ pod }) => matches(pod.metadata.labels, named[0] ?? {}))
      .flatMap(({ container }) => container.ports ?? []);
    return when([
      [named.some((selector) => !labels.some((each) => matches(each, selector))), 'selects no pod'],
      [
        own !== undefined && kind === 'Deployment' && !named.every((selector) => matches(own, selector)),
        'does not select its own pods',
      ],
      [
        own !== undefined && spread.some((each) => !matches(own, each.labelSelector)),
        'does not spread its pods',
      ],
      [
        target !== undefined && !processes.some(({ name }) => name === target),
        `scales ${target}, which is not there`,
      ],
      [
        kind === 'Service' &&
          (spec?.ports ?? []).some(({ targetPort }) => !ports.some(({ name }) => name === targetPort)),
        'leads to a port that no pod has',
      ],
      [
        kind === 'Deployment' && spec?.strategy?.rollingUpdate?.maxUnavailable !== 0,
        'takes pods away before new ones are ready',
      ],
    ]).map((fault) => `${kind} ${metadata.name} ${fault}`);
  });
}

function queryFaults(manifests: readonly Manifest[]): string[] {
  return manifests
    .filter(({ kind }) => kind === 'ScaledObject')
    .flatMap(({ metadata, spec }) =>
      (spec?.triggers ?? []).flatMap(({ metadata: { query, threshold } }) => {
        const metrics = query.match(/\b(?:pbs|bullmq)_\w+/g) ?? [];
        const underMax = query.match(/\bmax\((?:pbs|bullmq)_\w+/g) ?? [];
        const queues = [...query.matchAll(/queue="([^"]*)"/g)].map(([, queue]) => queue);
        return [
          ...metrics
            .filter((name) => !METRICS.has(name))
            .map((name) => `asks for ${name}, which is not exposed`),
          ...when([
            [
              metrics.length === 0 || underMax.length !== metrics.length,
              'adds up what every API process says',
            ],
            [
              queues.length === 0 || queues.some((queue) => queue !== metadata.name),
              'asks for another queue',
            ],
            [
              metrics.some(
                (name) => name in ALERT_AGES_MS && ALERT_AGES_MS[name] !== 2 * Number(threshold) * 1000,
              ),
              'scales at another age than half of that of an alert',
            ],
          ]),
        ].map((fault) => `ScaledObject ${metadata.name} ${fault}`);
      }),
    );
}

/** Of the namespace, and of what must not be in a repository. */
function placeFaults(manifests: readonly Manifest[]): string[] {
  const namespace = manifests.find(({ kind }) => kind === 'Namespace')?.metadata;
  return when([
    [
      namespace?.labels?.['pod-security.kubernetes.io/enforce'] !== 'restricted',
      'The namespace lets anything run',
    ],
    [
      manifests.some(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== namespace?.name),
      'Something is in another namespace',
    ],
    [manifests.some(({ kind }) => kind === 'Secret'), 'A Secret is in the repository'],
    [
      manifests.some(
        ({ kind, metadata }) =>
          BEFORE_PODS.includes(kind) && metadata.labels?.['app.kubernetes.io/component'] !== 'common',
      ),
      'What pods need is not applied before them',
    ],
  ]);
}
