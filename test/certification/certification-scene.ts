import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Defect } from '../../packages/client/src/certification/model/defects.ts';
import type { Report, ScenarioReport } from '../../packages/client/src/certification/report.ts';
import { certify } from '../../packages/client/src/certification/runner.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPackage, anyPartner, anyVenue } from '../support/factories.ts';
import type { HostedService } from '../support/service-host.ts';

export type Candidate = { baseUrl: string; apiKey: string; partner: Partner; venueIds: string[] };

type Lacking = { hasPackage?: boolean; resource?: Json };

/** A partner with all that the scenarios need: two venues with two resources each, and a package in its catalogue. */
export async function anyCandidate(
  service: HostedService,
  { hasPackage = true, resource = {} }: Lacking = {},
): Promise<Candidate> {
  const venues = [
    await anyVenue(service, [resource, resource]),
    await anyVenue(service, [resource, resource]),
  ];
  const venueIds = venues.map(({ id }) => id);
  const partner = await anyPartner(service, venueIds);
  if (hasPackage) await anyPackage(service, partner, venueIds);
  return { baseUrl: service.url, apiKey: partner.apiKey, partner, venueIds };
}

/** Certifies the model integration, with what it does wrongly; only the scenarios that are named, or all. `onEnd` is told of each. */
export function certifyModel(
  candidate: Candidate,
  defects: readonly Defect[] = [],
  only?: readonly string[],
  onEnd: (report: ScenarioReport) => void = () => undefined,
): Promise<Report> {
  return certify({
    ...{ baseUrl: candidate.baseUrl, apiKey: candidate.apiKey },
    subject: { mode: 'service', defects },
    isChosen: ({ id }) => only?.includes(id) ?? true,
    onEnd,
    signal: new AbortController().signal,
  });
}

/** The ids of the scenarios with an outcome, and what was found. */
export const withOutcome = ({ scenarios }: Report, outcome: string): Record<string, string | null> =>
  Object.fromEntries(
    scenarios.filter((each) => each.outcome === outcome).map(({ id, finding }) => [id, finding]),
  );

type Asked = { method: string; path: string; body: Record<string, unknown> };

/** Passes calls on to a service, each after `before` has been told of it; where that rejects, the connection is cut. */
export async function startFront(
  serviceUrl: string,
  before: (asked: Asked) => Promise<void>,
): Promise<{ url: string; close(): Promise<void> }> {
  const passOn = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request;
    const bytes = Buffer.concat((await request.toArray()) as Buffer[]);
    await before({ method, path, body: bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Json) });
    const answer = await fetch(serviceUrl + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': String(headers['x-api-key']) },
      ...(method === 'GET' ? {} : { body: bytes }),
    });
    const told = ['ratelimit', 'ratelimit-policy', 'retry-after'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    response
      .writeHead(answer.status, { 'content-type': 'application/json', ...Object.fromEntries(told) })
      .end(await answer.text());
  };
  const underWay: Promise<void>[] = [];
  const server = createServer((request, response) => {
    underWay.push(passOn(request, response).catch(() => void request.socket.destroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      // Of a call that was abandoned the service may make something yet.
      await Promise.all(underWay);
    },
  };
}
