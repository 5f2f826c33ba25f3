import { isIPv6 } from 'node:net';

const HOST = /^(?:\[([0-9a-f:.]+)\]|[a-z0-9._-]+)(?::\d{0,5})?$/i;

/** Endings of names that public name servers do not resolve (RFC 6761, 6762; ICANN's `internal`). */
const PRIVATE_ENDINGS: ReadonlySet<string> = new Set(['localhost', 'local', 'internal']);

/** The host in a Host header, in lower case without the port; undefined if malformed. */
export function hostIn(value: string): string | undefined {
  const [matched, ipv6] = HOST.exec(value) ?? [];
  if (matched === undefined || (ipv6 !== undefined && !isIPv6(ipv6))) return undefined;
  return matched.replace(/:\d*$/, '').toLowerCase();
}

/** Whether `host` is an IP address or a name that public DNS does not resolve. */
export function isPrivateHost(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.');
  const last = labels.at(-1) ?? '';
  return host.startsWith('[') || labels.length === 1 || /^\d+$/.test(last) || PRIVATE_ENDINGS.has(last);
}
