import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectRules, createCheckedLookup, hostOf, refusalWithoutLookup } from './checked-lookup.ts';

/** An idle connection ends after this time, or a second before its receiver said that it would end it, if that is sooner. */
const IDLE_MS = 5_000;
/** No request begins on a connection of a minute or older, so that a change of DNS takes effect. */
const MAX_AGE_MS = 60_000 - IDLE_MS;
/** Node's default of 250 ms gives up on a receiver on another continent and goes on to its next address. */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;

export type Connections = {
  /**
   * A POST of which nothing is sent yet, over a kept connection where there is one; a `fresh` one opens its own.
   * @throws BlockedAddressError where the URL may not be called, whatever its name resolves to
   */
  request(url: URL, how: { fresh: boolean }): ClientRequest;
  close(): void;
};

/**
 * Makes a pool of connections, none of which goes to an address that is not public, whatever DNS said earlier: a name is resolved
 * once for each connection, every address is checked, and the connection goes to the checked ones. So a name that changes its
 * addresses between check and connect gains nothing. Certificates are always verified. A request that may not connect fails with
 * BlockedAddressError or UnresolvedHostError, or the socket's own error.
 */
export function createConnections(rules: ConnectRules): Connections {
  const openedAt = new WeakMap<Duplex, number>();
  const options = {
    lookup: createCheckedLookup(rules),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
    rejectUnauthorized: true,
    // A receiver that speaks HTTP/2 alone then refuses in the handshake, which names the cause.
    ALPNProtocols: ['http/1.1'],
  };
  const keep = { ...options, keepAlive: true, timeout: IDLE_MS };
  const kept = { 'http:': new HttpAgent(keep), 'https:': new HttpsAgent(keep) };
  const fresh = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  for (const agent of Object.values(kept)) limitReuse(agent, openedAt);

  return {
    request(url, how) {
      const refusal = refusalWithoutLookup(url, rules);
      if (refusal !== null) throw refusal;
      const { port, pathname, search } = url;
      const isTls = url.protocol === 'https:';
      const host = hostOf(url);
      const request = (isTls ? httpsRequest : httpRequest)({
        ...{ host, port, path: pathname + search, method: 'POST', maxHeaderSize: MAX_HEADER_BYTES },
        // Receivers in Go know no name that ends in a dot, and RFC 6066 allows neither such a name nor an address.
        servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
        agent: (how.fresh ? fresh : kept)[isTls ? 'https:' : 'http:'],
      });
      request.once('socket', (socket) => {
        if (!request.reusedSocket) openedAt.set(socket, performance.now());
      });
      return request;
    },
    close() {
      for (const agent of [...Object.values(kept), ...Object.values(fresh)]) agent.destroy();
    },
  };
}

/** Keeps no connection that is too old, and drops one on which its receiver speaks unasked, as that is no response. */
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
