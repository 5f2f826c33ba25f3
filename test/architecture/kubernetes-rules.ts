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
const NON_HEAP_MB = 200;
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
/** The faults of a deployment of these manifests; one sentence each. */
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
    ...namespaceFaults(manifests),
  ];
}

const VOLUMES = ['name', 'emptyDir', 'persistentVolumeClaim'];

const faultsWhere = (rows: readonly (readonly [boolean, string])[]): string[] =>
  rows.filter(([isFault]) => isFault).map(([, fault]) => fault);

function securityFaults({ kind, pod }: Process): string[] {
  const { securityContext: podSecurity, volumes = [], ...spec } = pod.spec;
  const containers = containersOf(pod);
  const contexts = containers.map(({ securityContext }) => securityContext);
  return faultsWhere([
    // A backup has a second container, which stores the output of the first.
    [containers.length !== (kind === 'CronJob' ? 2 : 1), 'has other containers'],
    [podSecurity?.runAsNonRoot !== true || podSecurity.runAsUser !== 1000, 'may run as root'],
    [podSecurity?.seccompProfile?.type !== 'RuntimeDefault', 'may make any system call'],
    [contexts.some((each) => each?.readOnlyRootFilesystem !== true), 'can write to its file system'],
    [contexts.some((each) => each?.allowPrivilegeEscalation !== false), 'can gain privileges'],
    [
      contexts.some(
        (each) => each?.capabilities?.drop?.includes('ALL') !== true || each.capabilities.add !== undefined,
      ),
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
  return faultsWhere([
    [memoryMb < HEAP_MB + NON_HEAP_MB, 'has less memory than its heap and 200 MB'],
    [resources?.requests?.['memory'] !== resources?.limits?.['memory'], 'does not request its memory limit'],
    [resources?.requests?.['cpu'] === undefined, 'asks for no processor time'],
    [
      command[0] !== 'node' || !existsSync(path.join(projectFolder, source)),
      `runs a command that is not built: ${command.join(' ')}`,
    ],
  ]);
}

function settingFaults(each: Process, manifests: readonly Manifest[]): string[] {
  const { variables, missing } = environmentOf(each, manifests);
  const names = variables.map(([name]) => name).toSorted();
  const expected = PROCESS_NAMES.includes(each.name as ProcessName) ? variablesOf(each.name as ProcessName) : [];
  const secrets = (each.container.env ?? []).filter(
    ({ name, valueFrom }) =>
      valueFrom?.fieldRef !== undefined ||
      (valueFrom?.secretKeyRef?.key === name && valueFrom.secretKeyRef.name !== ''),
  );
  return [
    ...missing.map((name) => `refers to a missing ConfigMap: ${name}`),
    ...names.filter((name) => !expected.includes(name)).map((name) => `is given ${name}, which it does not read`),
    ...expected.filter((name) => !names.includes(name)).map((name) => `is not given ${name}`),
    ...names.filter((name, index) => names[index + 1] === name).map((name) => `is given ${name} twice`),
    ...faultsWhere([
      [secrets.length !== (each.container.env ?? []).length, 'has a plain value instead of a Secret'],
      [variables.some(([name, value]) => SECRETS.includes(name) && value !== undefined), 'has a secret in a ConfigMap'],
    ]),
    ...startFaults(each.name as ProcessName, variables),
  ];
}

/** The faults for which the process itself would reject these settings. */
function startFaults(name: ProcessName, variables: readonly (readonly [string, string | undefined])[]): string[] {
  try {
    loadConfig(Object.fromEntries(variables.map(([key, value]) => [key, value ?? SECRET_VALUES[key]])), name);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => `would not start: ${fault}`);
    throw error;
  }
}

function portFaults(each: Process, manifests: readonly Manifest[]): string[] {
  const settings = Object.fromEntries(environmentOf(each, manifests).variables);
  const { PORT, ADMIN_PORT, HEALTH_PORT } = settings;
  const expected = [PORT, ADMIN_PORT, HEALTH_PORT].filter((port) => port !== undefined);
  const ports = (each.container.ports ?? []).map(({ containerPort }) => String(containerPort));
  const scraped = each.pod.metadata.annotations?.['prometheus.io/port'];
  return faultsWhere([
    [ports.join() !== expected.join(), `has the ports ${ports.join()} and the settings ${expected.join()}`],
    [scraped !== (ADMIN_PORT ?? HEALTH_PORT), 'is scraped at a port without metrics'],
  ]);
}

/** Faults of the namespace, and Secrets in the manifests. */
function namespaceFaults(manifests: readonly Manifest[]): string[] {
  const namespace = manifests.find(({ kind }) => kind === 'Namespace')?.metadata;
  return faultsWhere([
    [
      namespace?.labels?.['pod-security.kubernetes.io/enforce'] !== 'restricted',
      'The namespace does not enforce the restricted level',
    ],
    [manifests.some(({ kind }) => kind === 'Secret'), 'A Secret is in the repository'],
  ]);
}

/** Whether policies restrict both the incoming and the outgoing traffic of a process. */
export function isRestricted(process: string, manifests: readonly Manifest[]): boolean {
  const labels = processesOf(manifests).find(({ name }) => name === process)?.pod.metadata.labels ?? {};
  const policies = manifests
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && matches(labels, spec?.podSelector ?? {}))
    .map(({ spec }) => spec);
  return ['Ingress', 'Egress'].every((type) => policies.some((spec) => spec?.policyTypes?.includes(type)));
}

/** Whether a policy allows traffic to an address. */
export function isReachable(address: string, policy: string, manifests: readonly Manifest[]): boolean {
  const { spec } = manifests.find(({ metadata }) => metadata.name === policy) ?? {};
  const blocks = (spec?.egress ?? []).flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock));
  const ip = ipaddr.parse(address);
  const isIn = (network: string) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === ip.kind() && ip.match(base, bits);
  };
  return blocks.some((block) => block !== undefined && isIn(block.cidr) && !(block.except ?? []).some(isIn));
}
