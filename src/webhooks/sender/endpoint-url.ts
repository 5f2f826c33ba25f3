import { isIP } from 'node:net';
import { withTimeout } from '../../platform/deadline.ts';
import { parseUrl } from '../../platform/parse-url.ts';
import type { PortRange } from '../../process/config/port-ranges.rules.ts';
import { isDefiniteAbsence } from './delivery-error.rules.ts';
import { type EndpointRules, hostFault, hostOf, isPublicAddress, urlFault } from './endpoint-address.rules.ts';
import { type ResolveAddresses, resolverFor } from './resolve-addresses.ts';

const MAX_URL_CHARACTERS = 2048;
const RESOLVE_TIMEOUT_MS = 3_000;
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether an endpoint may be called. `message` follows the field's name and is for the partner's developer, without
 * addresses from DNS. `isUnresolved`: the host has no address at present.
 */
export type EndpointUrlCheck = { ok: true } | { ok: false; message: string; isUnresolved?: true };

/** Default of `resolve`: `resolverFor`. */
export type EndpointUrlRules = EndpointRules & { resolve?: ResolveAddresses };

export type EndpointConfig = { webhookAllowPrivateNetworks: boolean; webhookPorts: readonly PortRange[] };

export function endpointRules(config: EndpointConfig): EndpointRules {
  return { allowPrivateNetworks: config.webhookAllowPrivateNetworks, ports: config.webhookPorts };
}

/**
 * Decides whether deliveries may be sent to a URL: `https`, no fragment, an allowed port, and only public addresses.
 * Never rejects, and takes at most 3 s. Does not check how the URL is written, so that URLs of earlier releases pass.
 * Every connection checks the addresses again, because DNS may change (see `createConnections`).
 */
export async function checkEndpointUrl(text: string, rules: EndpointUrlRules): Promise<EndpointUrlCheck> {
  const url = parseUrl(text);
  if (url === undefined) return rejected(NOT_A_URL);
  const fault = urlFault(url, rules) ?? hostFault(url, rules);
  if (fault !== null) return rejected(fault);
  const host = hostOf(url).replace(/\.$/, '');
  if (rules.allowPrivateNetworks || isIP(host) !== 0) return { ok: true };
  return checkName(host, rules.resolve ?? resolverFor(rules));
}

/** A URL in the form in which it is stored, shown and called (`href`), or its fault. Does not look up the host. */
export function parseEndpoint(text: string, rules: EndpointRules): { href: string } | { fault: string } {
  const misleading = textFault(text);
  if (misleading !== null) return { fault: misleading };
  const url = parseUrl(text);
  if (url === undefined) return { fault: NOT_A_URL };
  const fault = urlFault(url, rules) ?? lengthFault(url.href);
  return fault === null ? { href: url.href } : { fault };
}

function lengthFault({ length }: string): string | null {
  if (length <= MAX_URL_CHARACTERS) return null;
  return `is ${length} characters long once encoded; at most ${MAX_URL_CHARACTERS} are allowed.`;
}

const NOT_A_URL = 'is not a valid absolute URL; send one like https://partner.example/webhooks.';

/** Finds text that the URL parser would drop, replace or read differently than a person does. */
function textFault(text: string): string | null {
  if (UNSEEN.test(text)) {
    return 'must not contain white space, control characters or invisible characters; remove or percent-encode them.';
  }
  if (text.includes('\\')) return 'must not contain a backslash; use "/", or write %5C.';
  if (/[{}]/.test(text)) return 'must not contain braces; replace the placeholder, or write %7B and %7D.';
  if (/^https?:(?!\/\/[^/])/i.test(text) && parseUrl(text) !== undefined) {
    return 'must start with https://, with exactly two slashes before the host.';
  }
  if (/^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return 'must not contain a user name or password, nor "@" before the path; verify X-Service-Signature instead.';
  }
  return null;
}

function rejected(message: string): EndpointUrlCheck {
  return { ok: false, message };
}

async function checkName(host: string, resolve: ResolveAddresses): Promise<EndpointUrlCheck> {
  let addresses: readonly string[];
  try {
    addresses = await withTimeout(RESOLVE_TIMEOUT_MS, () => resolve(host));
  } catch (error) {
    const message = isDefiniteAbsence(error)
      ? `names the host ${host}, which does not resolve; check its spelling, or publish its DNS record first.`
      : `names the host ${host}, which did not resolve in time; try again, and check its name servers.`;
    return { ok: false, message, isUnresolved: true };
  }
  if (addresses.length > 0 && addresses.every(isPublicAddress)) return { ok: true };
  return rejected(
    `names the host ${host}, which resolves to an address that is not public; every address must be public.`,
  );
}
