import { isIPv6 } from 'node:net';

const HOST = /^(?:\[([0-9a-f:.]+)\]|[a-z0-9._-]+)(?::\d{0,5})?$/i;

/** Names that public name servers do not resolve: a web page's author cannot point one elsewhere (RFC 6761, 6762; ICANN's `internal`). */
const PRIVATE_ENDINGS: ReadonlySet<string> = new Set(['localhost', 'local', 'internal']);

/** The host that the value of a Host header names: lower case, no port; undefined where the value is malformed. */
export function hostNamedBy(value: string): string | undefined {
  const [matched, ipv6] = HOST.exec(value) ?? [];
  if (matched === undefined || (ipv6 !== undefined && !isIPv6(ipv6))) return undefined;
  return matched.replace(/:\d*$/, '').toLowerCase();
}

/** Whether `host` is an address or a name that means something only inside a network, such as that of a container. */
export function isPrivateHost(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.');
  const last = labels.at(-1) ?? '';
  return host.startsWith('[') || labels.length === 1 || /^\d+$/.test(last) || PRIVATE_ENDINGS.has(last);
}
