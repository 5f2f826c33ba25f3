import { isIP } from 'node:net';
import type { PortRange } from '../config/port-ranges.rules.ts';
import { formatPortRanges, hasPort, WEBHOOK_PORTS } from '../config/port-ranges.rules.ts';
import { withDeadline } from '../platform/deadline.ts';
import { parseUrl } from '../platform/parse-url.ts';
import { isLocalName, isPublicAddress } from './endpoint-address.rules.ts';
import { isDefiniteAbsence, type ResolveAddresses, resolverFor } from './resolve-addresses.ts';

const MAX_URL_CHARACTERS = 2048;
const RESOLVE_TIMEOUT_MS = 3_000;

/**
 * The verdict on an endpoint; `message` is written for the partner's developer, to stand behind the field's name, and holds no address that DNS gave. With
 * `isUnresolved` its name had no address just now, which may pass.
 */
export type EndpointUrlCheck = { ok: true } | { ok: false; message: string; isUnresolved?: true };

export type EndpointUrlRules = {
  /** Development only: also allows `http`, any port and hosts in private networks, and does not resolve names. */
  allowPrivateNetworks: boolean;
  /** Where `https` may be spoken to; `WEBHOOK_PORTS` unless given. */
  ports?: readonly PortRange[];
  /** How names become addresses; `resolverFor` unless given. */
  resolve?: ResolveAddresses;
};

/** What of the configuration says where deliveries may go. */
export type EndpointConfig = { webhookAllowPrivateNetworks: boolean; webhookPorts: readonly PortRange[] };

export function endpointRules(config: EndpointConfig): EndpointUrlRules {
  return { allowPrivateNetworks: config.webhookAllowPrivateNetworks, ports: config.webhookPorts };
}

/**
 * Decides whether deliveries may be sent to a URL: `https`, at most 2,048 characters, no credentials, no fragment, a port of
 * `ports`, and a host that is, or resolves only to, public addresses. Never rejects. Resolution is given 3 s.
 *
 * It is a courtesy at create time, not the guard: DNS may answer otherwise later, so every connection is checked again
 * (see `createCheckedConnect`).
 */
export async function checkEndpointUrl(url: string, rules: EndpointUrlRules): Promise<EndpointUrlCheck> {
  const fault = endpointFormFault(url, rules);
  return fault === null ? checkHost(new URL(url), rules) : { ok: false, message: fault };
}

/** What is wrong with the text of an endpoint's URL, wherever its host leads; null where nothing is. */
export function endpointFormFault(
  text: string,
  { allowPrivateNetworks, ports = WEBHOOK_PORTS }: Omit<EndpointUrlRules, 'resolve'>,
): string | null {
  if (text.length > MAX_URL_CHARACTERS) {
    return `is ${text.length} characters long; at most ${MAX_URL_CHARACTERS} are allowed.`;
  }
  // The URL parser drops or replaces these silently, so the stored text would not be the address that is called.
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return 'contains white space or control characters; remove them.';
  const url = parseUrl(text);
  if (url === undefined)
    return 'is not a valid absolute URL; send one like https://partner.example/webhooks.';
  if (url.protocol !== 'https:' && !(allowPrivateNetworks && url.protocol === 'http:')) {
    return 'must start with https://; deliveries are not sent over an unencrypted connection.';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user name or password; verify X-Service-Signature instead.';
  }
  // `url.hash` is empty for a bare "#"; in a serialised URL the character always begins a fragment.
  if (url.href.includes('#')) return 'must not contain a fragment (the part from "#" on).';
  if (url.port === '0') return 'names port 0, which cannot be connected to; use 1 to 65535.';
  if (!allowPrivateNetworks && !hasPort(ports, portOf(url))) {
    return `names port ${portOf(url)}, to which nothing is delivered; use one of ${formatPortRanges(ports)}.`;
  }
  return null;
}

/** The port of an `https` address. */
function portOf(url: URL): number {
  return url.port === '' ? 443 : Number(url.port);
}

async function checkHost(url: URL, rules: EndpointUrlRules): Promise<EndpointUrlCheck> {
  if (rules.allowPrivateNetworks) return { ok: true };
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) {
    if (isPublicAddress(host)) return { ok: true };
    return refused(
      `points to ${host}, which is not a public address; use a host that the internet can reach.`,
    );
  }
  if (host === '' || isLocalName(host)) {
    return refused(`names the host "${host}", which exists only in a local network; use a public host name.`);
  }
  return checkName(host, rules.resolve ?? resolverFor(rules));
}

function refused(message: string): EndpointUrlCheck {
  return { ok: false, message };
}

async function checkName(host: string, resolve: ResolveAddresses): Promise<EndpointUrlCheck> {
  let addresses: readonly string[];
  try {
    addresses = await withDeadline(RESOLVE_TIMEOUT_MS, () => resolve(host));
  } catch (error) {
    const message = isDefiniteAbsence(error)
      ? `names the host ${host}, which does not resolve; check its spelling, or publish its DNS record first.`
      : `names the host ${host}, which could not be resolved just now; try again, and check its name servers.`;
    return { ok: false, message, isUnresolved: true };
  }
  if (addresses.length > 0 && addresses.every(isPublicAddress)) return { ok: true };
  return refused(
    `names the host ${host}, which resolves to an address that is not public; every address must be public.`,
  );
}
