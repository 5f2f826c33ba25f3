import ipaddr from 'ipaddr.js';
import { type Manifest, matches, processesOf } from './kubernetes-manifests.ts';

/** Whether policies name what may come into a process and out of it, so that nothing else does. */
export function isLimited(process: string, manifests: readonly Manifest[]): boolean {
  const labels = processesOf(manifests).find(({ name }) => name === process)?.pod.metadata.labels ?? {};
  const policies = manifests
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && matches(labels, spec?.podSelector ?? {}))
    .map(({ spec }) => spec);
  return ['Ingress', 'Egress'].every((type) => policies.some((spec) => spec?.policyTypes?.includes(type)));
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
