/** For how long an endpoint that had all its sends is remembered, so that what comes for it need not ask the database again. */
export const FULL_MS = 2000;

/** Whose delivery it is, and to which of its endpoints. */
export type Destination = { subscriptionId: string; partnerId: string };

/** What counts in a share of the permits. */
export type Share = { inProgress: number; slow: number };
export type Partner = Share & { endpoints: Set<Endpoint> };
/** `waiting`: those who wait for a permit, first come, first served; each is ended with whether it gets one. */
export type Endpoint = Share & {
  id: string;
  partnerId: string;
  partner: Partner;
  waiting: Set<(isGranted: boolean) => void>;
  sending: number;
  fullAt: number;
};

/** The endpoints at which something is in progress or waits, and their partners. */
export function createEndpoints() {
  const endpoints = new Map<string, Endpoint>();
  const partners = new Map<string, Partner>();
  const endpointOf = ({ subscriptionId: id, partnerId }: Destination): Endpoint => {
    const known = endpoints.get(id);
    if (known !== undefined) return known;
    const partner = partners.get(partnerId) ?? { inProgress: 0, slow: 0, endpoints: new Set() };
    const shares = { inProgress: 0, slow: 0, sending: 0, fullAt: -FULL_MS };
    const endpoint: Endpoint = { id, partnerId, partner, waiting: new Set(), ...shares };
    endpoints.set(id, endpoint);
    partners.set(partnerId, partner);
    partner.endpoints.add(endpoint);
    return endpoint;
  };
  const forgetIdle = (endpoint: Endpoint): void => {
    if (endpoint.waiting.size + endpoint.inProgress > 0) return;
    endpoints.delete(endpoint.id);
    endpoint.partner.endpoints.delete(endpoint);
    if (endpoint.partner.endpoints.size === 0) partners.delete(endpoint.partnerId);
  };
  return { endpointOf, forgetIdle };
}
