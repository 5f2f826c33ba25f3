import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { goProgram } from '../../scripts/go-program.ts';
import { pythonEnvironment } from '../../scripts/python-environment.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { projectFolder } from './planted-tree.ts';

/** Builds with Go 1.22 and newer. `kubectl apply -k` contains the same program. */
const KUSTOMIZE = { name: 'kustomize', module: 'sigs.k8s.io/kustomize/kustomize/v5', version: 'v5.7.1' };
/** The schemas of the Prometheus Operator, KEDA and Kubernetes. */
const SCHEMAS = {
  'cloudcoil-models-prometheus-operator': '0.80.1.0',
  'cloudcoil-models-keda': '2.16.1.0',
  'kubernetes-validate': '1.37.0',
};

const run = promisify(execFile);

type Labels = Record<string, string>;
type Selector = {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
};
type Container = {
  name: string;
  command: string[];
  env?: { name: string; valueFrom?: { secretKeyRef?: { name: string; key: string }; fieldRef?: object } }[];
  envFrom?: { configMapRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  resources?: { limits?: Labels };
  securityContext?: object;
};
type PodTemplate = {
  metadata: { labels: Labels; annotations?: Labels };
  spec: { volumes?: object[]; initContainers?: Container[]; containers: Container[] };
};

/** A Kubernetes object, with the members that the tests read. */
export type Manifest = {
  kind: string;
  metadata: { name: string; labels?: Labels };
  data?: Labels;
  spec?: {
    selector?: Selector;
    template?: PodTemplate;
    jobTemplate?: { spec: { template: PodTemplate } };
    podSelector?: Selector;
    policyTypes?: string[];
    egress?: { to?: { ipBlock?: { cidr: string; except?: string[] } }[] }[];
    podMetricsEndpoints?: { port: string; relabelings: { targetLabel: string; replacement: string }[] }[];
    triggers?: { metadata: { query: string } }[];
  };
};

/** The objects that `kubectl apply -k` would send for an overlay with these components and this namespace. */
export async function render(
  overlay: string,
  components: readonly string[] = [],
  namespace?: string,
): Promise<Manifest[]> {
  const kustomize = await goProgram(KUSTOMIZE, process.env);
  const copy = path.join(await temporaryFolder(), 'kubernetes');
  await cp(path.join(projectFolder, 'deploy/kubernetes'), copy, { recursive: true });
  const folder = path.join(copy, 'overlays', overlay);
  const file = path.join(folder, 'kustomization.yaml');
  const kustomization = parse(await readFile(file, 'utf8')) as { namespace: string; components?: string[] };
  const added = components.map((name) => `../../components/${name}`);
  await writeFile(
    file,
    stringify({
      ...kustomization,
      namespace: namespace ?? kustomization.namespace,
      components: [...(kustomization.components ?? []), ...added],
    }),
  );
  const { stdout } = await run(kustomize, ['build', folder], { maxBuffer: 16 * 1024 * 1024 });
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/** Violations of the published schemas, including unknown members; one sentence each. */
export async function schemaFaults(manifests: readonly Manifest[]): Promise<string[]> {
  const python = await pythonEnvironment(SCHEMAS, process.env, () => undefined);
  const script = path.join(projectFolder, 'test/architecture/validate-manifests.py');
  const validating = run(python, [script], { maxBuffer: 16 * 1024 * 1024 });
  validating.child.stdin?.end(JSON.stringify(manifests));
  return JSON.parse((await validating).stdout) as string[];
}

export function matches(labels: Labels, { matchLabels = {}, matchExpressions = [] }: Selector): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''))
  );
}

export type Process = {
  name: string;
  kind: string;
  pod: PodTemplate;
  /** The one named `process`. */
  container: Container;
  /** All containers, with those that run before. */
  containers: Container[];
};

/** The pods of Deployments, Jobs and CronJobs, by component. */
export function processesOf(manifests: readonly Manifest[]): Process[] {
  return manifests.flatMap(({ kind, spec }) => {
    const pod = spec?.template ?? spec?.jobTemplate?.spec.template;
    const containers = [...(pod?.spec.initContainers ?? []), ...(pod?.spec.containers ?? [])];
    const container = containers.find(({ name }) => name === 'process');
    if (pod === undefined || container === undefined) return [];
    return [{ name: pod.metadata.labels['app.kubernetes.io/component'] ?? '', kind, pod, container, containers }];
  });
}

/** The variables of a process: from ConfigMaps, and with undefined values from Secrets. */
export function variablesIn({ container }: Process, manifests: readonly Manifest[]): [string, string | undefined][] {
  const mapNames = (container.envFrom ?? []).map(({ configMapRef }) => configMapRef?.name);
  const settings = mapNames.flatMap((name) => {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name);
    return Object.entries(map?.data ?? {});
  });
  const secrets = (container.env ?? []).filter(({ valueFrom }) => valueFrom?.fieldRef === undefined);
  return [...settings, ...secrets.map(({ name }): [string, undefined] => [name, undefined])];
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
