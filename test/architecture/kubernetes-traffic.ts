import ipaddr from 'ipaddr.js';
import { type Manifest, matches, type Peer, processesOf } from './kubernetes-manifests.ts';

export type Traffic = { isLimited: boolean; from: string[]; to: string[] };

/** Who reaches a process and what it reaches, `port peer` each, sorted; `isLimited` where nothing else passes in or out. */
export function trafficOf(process: string, manifests: readonly Manifest[]): Traffic {
  const labels = processesOf(manifests).find(({ name }) => name === process)?.pod.metadata.labels ?? {};
  const policies = manifests
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && matches(labels, spec?.podSelector ?? {}))
    .map(({ spec }) => spec);
  const isLimited = ['Ingress', 'Egress'].every((type) => policies.some((spec) => spec?.policyTypes?.includes(type)));
  const of = (direction: 'ingress' | 'egress') => {
    const found = policies
      .flatMap((spec) => spec?.[direction] ?? [])
      .flatMap(({ from, to, ports = [{ port: 0 }] }) =>
        (from ?? to ?? [{}]).flatMap((peer) =>
          ports.map(({ port, endPort = port }) =>
            `${port}-${endPort} ${nameOf(peer)}`.replace(`${port}-${port} `, `${port} `),
          ),
        ),
      );
    return [...new Set(found)].toSorted();
  };
  return { isLimited, from: of('ingress'), to: of('egress') };
}

/** A network without its exceptions, a label of namespaces, or `anybody`. */
function nameOf({ namespaceSelector, ipBlock }: Peer): string {
  return ipBlock?.cidr ?? Object.keys(namespaceSelector?.matchLabels ?? {})[0] ?? 'anybody';
}

/** Whether a policy lets traffic out to an address. */
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
