import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
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

export type Labels = Record<string, string>;
export type Selector = {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
};
export type Container = {
  name: string;
  image: string;
  command: string[];
  env?: {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef?: { name: string; key: string }; fieldRef?: { fieldPath: string } };
  }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  resources?: { requests?: Labels; limits?: Labels };
  securityContext?: {
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    capabilities?: { drop?: string[]; add?: string[] };
  };
};
export type PodTemplate = {
  metadata: { labels: Labels; annotations?: Labels };
  spec: {
    automountServiceAccountToken?: boolean;
    enableServiceLinks?: boolean;
    securityContext?: { runAsNonRoot?: boolean; runAsUser?: number; seccompProfile?: { type: string } };
    volumes?: object[];
    initContainers?: Container[];
    containers: Container[];
  };
};
type EgressRule = { to?: { ipBlock?: { cidr: string; except?: string[] } }[] };

/** A Kubernetes object, with the members that the rules read. */
export type Manifest = {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
  data?: Labels;
  spec?: {
    selector?: Selector;
    template?: PodTemplate;
    jobTemplate?: { spec: { template: PodTemplate } };
    podSelector?: Selector;
    policyTypes?: string[];
    egress?: EgressRule[];
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

export type Process = { name: string; kind: string; pod: PodTemplate; container: Container };

export const containersOf = ({ spec }: PodTemplate): Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];

/** The pods of Deployments, Jobs and CronJobs, by component. Each has a container named `process`. */
export function processesOf(manifests: readonly Manifest[]): Process[] {
  return manifests.flatMap(({ kind, spec }) => {
    const pod = spec?.template ?? spec?.jobTemplate?.spec.template;
    const container = pod && containersOf(pod).find(({ name }) => name === 'process');
    if (pod === undefined || container === undefined) return [];
    return [{ name: pod.metadata.labels['app.kubernetes.io/component'] ?? '', kind, pod, container }];
  });
}

/** The variables of a process (undefined for secrets), and the names of ConfigMaps that are missing. */
export function environmentOf({ container }: Process, manifests: readonly Manifest[]) {
  const references = (container.envFrom ?? []).map(({ configMapRef }) => configMapRef?.name ?? '');
  const maps = manifests.filter(({ kind }) => kind === 'ConfigMap');
  const missing = references.filter((name) => !maps.some(({ metadata }) => metadata.name === name));
  const settings = references.flatMap((name) =>
    Object.entries(maps.find(({ metadata }) => metadata.name === name)?.data ?? {}),
  );
  const secrets = (container.env ?? [])
    .filter(({ valueFrom }) => valueFrom?.fieldRef === undefined)
    .map(({ name }): [string, undefined] => [name, undefined]);
  const variables: [string, string | undefined][] = [...settings, ...secrets];
  return { variables, missing };
}
