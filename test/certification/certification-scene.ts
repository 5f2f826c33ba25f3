import { readFile } from 'node:fs/promises';
import type { Defect } from '../../packages/client/src/certification/model/defects.ts';
import { parseProfile } from '../../packages/client/src/certification/profile.ts';
import type { Report, ScenarioReport } from '../../packages/client/src/certification/report.ts';
import { certify } from '../../packages/client/src/certification/runner.ts';
import { startFaultyProxy } from '../client/faulty-proxy.ts';
import { anyPackage, anyPartner, anyVenue, type Json, type Partner } from '../support/factories.ts';
import type { HostedService } from '../support/service-host.ts';

export type Candidate = { baseUrl: string; apiKey: string; partner: Partner; venueIds: string[] };

type CandidateOptions = { hasPackage?: boolean; resource?: Json };

/** A partner with all that the scenarios need: two venues with two resources each, and a package. */
export async function anyCandidate(
  service: HostedService,
  { hasPackage = true, resource = {} }: CandidateOptions = {},
): Promise<Candidate> {
  const venues = [await anyVenue(service, [resource, resource]), await anyVenue(service, [resource, resource])];
  const venueIds = venues.map(({ id }) => id);
  const partner = await anyPartner(service, venueIds);
  if (hasPackage) await anyPackage(service, partner, venueIds);
  return { baseUrl: service.url, apiKey: partner.apiKey, partner, venueIds };
}

/** Certifies the model integration with these defects, in the scenarios `only` or in all. `onEnd` gets each report. */
export function certifyModel(
  candidate: Candidate,
  defects: readonly Defect[] = [],
  only?: readonly string[],
  onEnd: (report: ScenarioReport) => void = () => undefined,
): Promise<Report> {
  return certify({
    baseUrl: candidate.baseUrl,
    apiKey: candidate.apiKey,
    subject: { mode: 'service', defects },
    isChosen: ({ id }) => only?.includes(id) ?? true,
    onEnd,
    signal: new AbortController().signal,
  });
}

/** Certifies a running integration by its profile, in the scenarios `only`. */
export async function certifyServed(
  { baseUrl, apiKey }: Pick<Candidate, 'baseUrl' | 'apiKey'>,
  { profile }: { profile: string },
  only: readonly string[],
  options: { signal?: AbortSignal; onEnd?: (report: ScenarioReport) => void } = {},
): Promise<Report> {
  const subject = { mode: 'partner', profile: parseProfile(await readFile(profile, 'utf8')) } as const;
  const { signal } = new AbortController();
  return certify({ baseUrl, apiKey, subject, isChosen: ({ id }) => only.includes(id), signal, ...options });
}

/** The findings of the scenarios with this outcome, by id. */
export const withOutcome = ({ scenarios }: Report, outcome: string): Record<string, string | null> =>
  Object.fromEntries(scenarios.filter((each) => each.outcome === outcome).map(({ id, finding }) => [id, finding]));

type Call = { method: string; path: string; body: Json };

/** Proxies calls to a service. Awaits `before` for each call, and cuts the connection if it rejects. */
export function startFront(serviceUrl: string, before: (call: Call) => Promise<void>) {
  return startFaultyProxy(serviceUrl, async ({ method, path, body }) => {
    await before({ method, path, body: body === '' ? {} : (JSON.parse(body) as Json) });
    return { kind: 'none' };
  });
}
