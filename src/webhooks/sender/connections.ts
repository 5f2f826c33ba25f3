import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { callbackify } from 'node:util';
import { BlockedAddressError, UnresolvedHostError } from './delivery-error.rules.ts';
import { type EndpointRules, hostFault, hostOf, isPublicAddress, urlFault } from './endpoint-address.rules.ts';
import type { ResolveAddresses } from './resolve-addresses.ts';

/** An idle connection is closed after this time, or earlier if the receiver announced a shorter time. */
const IDLE_MS = 5_000;
/** An older connection is not kept for reuse. With IDLE_MS, a change of DNS takes effect within a minute. */
const MAX_AGE_MS = 60_000 - IDLE_MS;
/** Node's default of 250 ms is too short for a receiver on another continent. */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;

type ConnectRules = EndpointRules & { resolve: ResolveAddresses };

export type Connections = ReturnType<typeof createConnections>;

/**
 * A pool of connections to public addresses only. A name is resolved once for each connection and every address is
 * checked; the connection goes to a checked address, so a change of DNS in between has no effect. Certificates are
 * always verified. A request fails with BlockedAddressError, UnresolvedHostError or the socket's own error.
 */
export function createConnections(rules: ConnectRules) {
  const openedAt = new WeakMap<Duplex, number>();
  const options = {
    lookup: createCheckedLookup(rules),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable verification.
    rejectUnauthorized: true,
    // Makes a receiver that speaks only HTTP/2 fail in the handshake, which names the cause.
    ALPNProtocols: ['http/1.1'],
  };
  const reuse = { keepAlive: true, timeout: IDLE_MS };
  const agents = { http: new HttpAgent(reuse), https: new HttpsAgent(reuse) };
  for (const agent of Object.values(agents)) limitReuse(agent, openedAt);

  return {
    /**
     * A POST that is not sent yet, over an idle connection if there is one; `fresh` opens a new connection.
     * @throws BlockedAddressError if the URL must not be called, without looking up its name
     */
    request(url: URL, { fresh }: { fresh: boolean }): ClientRequest {
      // Check address literals here: `net.connect` calls no lookup for them.
      const fault = urlFault(url, rules) ?? hostFault(url, rules);
      if (fault !== null) throw new BlockedAddressError(`The URL ${fault}`);
      const { port, pathname, search } = url;
      const isTls = url.protocol === 'https:';
      const host = hostOf(url);
      const request = (isTls ? httpsRequest : httpRequest)({
        ...options,
        host,
        port,
        path: pathname + search,
        method: 'POST',
        maxHeaderSize: MAX_HEADER_BYTES,
        // RFC 6066 forbids server names that are addresses or end in a dot (Go rejects them).
        servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
        agent: fresh ? false : agents[isTls ? 'https' : 'http'],
      });
      request.once('socket', (socket) => {
        if (!request.reusedSocket) openedAt.set(socket, performance.now());
      });
      return request;
    },
    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Closes connections that are too old, and those on which the receiver sends data without a request. */
function limitReuse(agent: HttpAgent, openedAt: WeakMap<Duplex, number>): void {
  agent.keepSocketAlive = (socket) => {
    if (performance.now() - (openedAt.get(socket) ?? 0) > MAX_AGE_MS) return false;
    socket.on('data', drop);
    return HttpAgent.prototype.keepSocketAlive.call(agent, socket);
  };
  agent.reuseSocket = (socket, request) => {
    socket.off('data', drop);
    HttpAgent.prototype.reuseSocket.call(agent, socket, request);
  };
}

function drop(this: Duplex): void {
  this.destroy();
}

/**
 * A `lookup` for `net.connect` that returns only checked addresses. Fails with BlockedAddressError if one address of
 * the name is not public, and with UnresolvedHostError if it has none.
 */
function createCheckedLookup(rules: ConnectRules): LookupFunction {
  const lookUp = callbackify((hostname: string) => checkedAddresses(hostname, rules));
  return (hostname, options, callback) =>
    lookUp(hostname, (error, addresses) => {
      const answers = (addresses ?? []).map((address) => ({ address, family: isIP(address) }));
      const [first] = answers;
      if (first === undefined) callback(error ?? new UnresolvedHostError('The host has no address.'), '');
      else if (options.all === true) callback(null, answers);
      else callback(null, first.address, first.family);
    });
}

async function checkedAddresses(
  hostname: string,
  { resolve, allowPrivateNetworks }: ConnectRules,
): Promise<readonly string[]> {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new UnresolvedHostError('The host did not resolve.', { cause });
  });
  if (allowPrivateNetworks || addresses.every(isPublicAddress)) return addresses;
  throw new BlockedAddressError('The host resolves to an address that is not public.');
}
