import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { ConfigError, loadConfig, PROCESS_NAMES, type ProcessName } from '../../src/process/config/config.ts';
import {
  containersOf,
  environmentOf,
  type Labels,
  type Manifest,
  matches,
  type Process,
  processesOf,
} from './kubernetes-manifests.ts';
import { projectFolder } from './planted-tree.ts';
import { variablesOf } from './settings-read.ts';

const read = (file: string): string => readFileSync(path.join(projectFolder, file), 'utf8');

/** Memory that a process needs in addition to its heap (docs/adr/0023). */
const BESIDE_HEAP_MB = 200;
const HEAP_MB = Number(/--max-old-space-size=(\d+)/.exec(read('Dockerfile'))?.[1]);
const SECRETS = [
  ...['MONGODB_URI', 'REDIS_URL', 'OPERATOR_API_KEY', 'ENCRYPTION_KEYS', 'ALERT_URL'],
  ...['ARCHIVE_ACCESS_KEY_ID', 'ARCHIVE_SECRET_ACCESS_KEY'],
];
/** Values in the format that the settings require. */
const SECRET_VALUES: Labels = {
  MONGODB_URI: 'mongodb://user:word@mongodb.stores.svc/partner_booking?replicaSet=rs0&tls=true',
  REDIS_URL: 'rediss://:word@redis.stores.svc:6379',
  OPERATOR_API_KEY: randomBytes(32).toString('base64url'),
  ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
};
/** What is wrong with a deployment of these manifests; one sentence each. */
export function faultsOf(manifests: readonly Manifest[]): string[] {
  const processes = processesOf(manifests);
  return [
    ...processes.flatMap((each) =>
      [
        ...securityFaults(each),
        ...resourceFaults(each),
        ...settingFaults(each, manifests),
        ...(each.kind === 'Deployment' ? portFaults(each, manifests) : []),
      ].map((fault) => `${each.name} ${fault}`),
    ),
    ...placeFaults(manifests),
  ];
}

const VOLUMES = ['name', 'emptyDir', 'persistentVolumeClaim'];

const when = (rows: readonly (readonly [boolean, string])[]): string[] =>
  rows.filter(([isFault]) => isFault).map(([, fault]) => fault);

function securityFaults({ kind, pod }: Process): string[] {
  const { securityContext: ofPod, volumes = [], ...spec } = pod.spec;
  const containers = containersOf(pod);
  const own = containers.map(({ securityContext }) => securityContext);
  return when([
    // A backup has a second container, which stores the output of the first.
    [containers.length !== (kind === 'CronJob' ? 2 : 1), 'has other containers'],
    [ofPod?.runAsNonRoot !== true || ofPod.runAsUser !== 1000, 'may run as root'],
    [ofPod?.seccompProfile?.type !== 'RuntimeDefault', 'may make any system call'],
    [own.some((each) => each?.readOnlyRootFilesystem !== true), 'can write to its file system'],
    [own.some((each) => each?.allowPrivilegeEscalation !== false), 'can gain privileges'],
    [
      own.some((each) => each?.capabilities?.drop?.includes('ALL') !== true || each.capabilities.add !== undefined),
      'has capabilities',
    ],
    [spec.automountServiceAccountToken !== false, 'has a token of the cluster'],
    // Kubernetes would set ADMIN_PORT for a Service named admin.
    [spec.enableServiceLinks !== false, 'is given the names of Services as settings'],
    [volumes.some((volume) => Object.keys(volume).some((key) => !VOLUMES.includes(key))), 'reaches the host'],
  ]);
}

function resourceFaults({ container: { resources, command } }: Process): string[] {
  const memoryMb = Number(/^(\d+)Mi$/.exec(resources?.limits?.['memory'] ?? '')?.[1] ?? 0);
  const source = command[1]?.replace(/^dist\/(.*)\.js$/, '$1.ts') ?? '';
  return when([
    [memoryMb < HEAP_MB + BESIDE_HEAP_MB, 'has less memory than its heap and 200 MB'],
    [resources?.requests?.['memory'] !== resources?.limits?.['memory'], 'is not given the memory that it may use'],
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
  const wanted = PROCESS_NAMES.includes(each.name as ProcessName) ? variablesOf(each.name as ProcessName) : [];
  const secrets = (each.container.env ?? []).filter(
    ({ name, valueFrom }) =>
      valueFrom?.fieldRef !== undefined ||
      (valueFrom?.secretKeyRef?.key === name && valueFrom.secretKeyRef.name !== ''),
  );
  return [
    ...missing.map((name) => `refers to a ConfigMap that is not there: ${name}`),
    ...names.filter((name) => !wanted.includes(name)).map((name) => `is given ${name}, which it does not read`),
    ...wanted.filter((name) => !names.includes(name)).map((name) => `is not given ${name}`),
    ...names.filter((name, index) => names[index + 1] === name).map((name) => `is given ${name} twice`),
    ...when([
      [secrets.length !== (each.container.env ?? []).length, 'is given a value where a Secret belongs'],
      [given.some(([name, value]) => SECRETS.includes(name) && value !== undefined), 'has a secret in a ConfigMap'],
    ]),
    ...startFaults(each.name as ProcessName, given),
  ];
}

/** The faults with which the process itself would reject these settings. */
function startFaults(name: ProcessName, given: readonly (readonly [string, string | undefined])[]): string[] {
  try {
    loadConfig(Object.fromEntries(given.map(([key, value]) => [key, value ?? SECRET_VALUES[key]])), name);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => `would not start: ${fault}`);
    throw error;
  }
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

/** Weaknesses of the namespace, and secrets in the repository. */
function placeFaults(manifests: readonly Manifest[]): string[] {
  const namespace = manifests.find(({ kind }) => kind === 'Namespace')?.metadata;
  return when([
    [namespace?.labels?.['pod-security.kubernetes.io/enforce'] !== 'restricted', 'The namespace lets anything run'],
    [manifests.some(({ kind }) => kind === 'Secret'), 'A Secret is in the repository'],
  ]);
}

/** Whether policies restrict both the incoming and the outgoing traffic of a process. */
export function isLimited(process: string, manifests: readonly Manifest[]): boolean {
  const labels = processesOf(manifests).find(({ name }) => name === process)?.pod.metadata.labels ?? {};
  const policies = manifests
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && matches(labels, spec?.podSelector ?? {}))
    .map(({ spec }) => spec);
  return ['Ingress', 'Egress'].every((type) => policies.some((spec) => spec?.policyTypes?.includes(type)));
}

/** Whether a policy allows traffic to an address. */
export function isReached(address: string, policy: string, manifests: readonly Manifest[]): boolean {
  const { spec } = manifests.find(({ metadata }) => metadata.name === policy) ?? {};
  const blocks = (spec?.egress ?? []).flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock));
  const ip = ipaddr.parse(address);
  const isIn = (network: string) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === ip.kind() && ip.match(base, bits);
  };
  return blocks.some((block) => block !== undefined && isIn(block.cidr) && !(block.except ?? []).some(isIn));
}
