/** For how long an endpoint that had all its sends is remembered, so that what comes for it need not ask the database again. */
export const FULL_MS = 2000;

/** Whose delivery it is, and to which of its endpoints. */
export type Destination = { subscriptionId: string; partnerId: string };

/** What counts in a share of the permits. */
export type Share = { id: string; inProgress: number; slow: number };
/** `waiting`: those of its endpoints for which somebody waits. */
export type Partner = Share & { waiting: Set<Endpoint> };
/** `readyAt`: the turn for which it is among the ready ones. */
export type Endpoint = Share & {
  partner: Partner;
  waiting: Set<Waiting>;
  readyAt: number | undefined;
  sending: number;
  fullAt: number;
};
/** Who came later has a higher turn. */
export type Waiting = { turn: number; end: (isGranted: boolean) => void };

/** The endpoints at which something is in progress or waits, and their partners. */
export function createEndpoints() {
  const endpoints = new Map<string, Endpoint>();
  const partners = new Map<string, Partner>();
  let turns = 0;
  const partnerOf = (id: string): Partner => {
    const partner = partners.get(id) ?? { id, inProgress: 0, slow: 0, waiting: new Set() };
    partners.set(id, partner);
    return partner;
  };
  const forgetIdle = (endpoint: Endpoint): void => {
    const { partner } = endpoint;
    if (endpoint.waiting.size + endpoint.inProgress > 0) return;
    endpoints.delete(endpoint.id);
    if (partner.waiting.size + partner.inProgress === 0) partners.delete(partner.id);
  };
  return {
    endpointOf({ subscriptionId: id, partnerId }: Destination): Endpoint {
      const endpoint = endpoints.get(id) ?? {
        ...{ id, inProgress: 0, slow: 0, sending: 0, fullAt: -FULL_MS },
        ...{ partner: partnerOf(partnerId), waiting: new Set(), readyAt: undefined },
      };
      endpoints.set(id, endpoint);
      return endpoint;
    },
    forgetIdle,
    /** Waits until it is ended, or `signal` aborts; resolves to what `grant` returned when that was called, or to null. */
    wait<T>(endpoint: Endpoint, signal: AbortSignal, grant: () => T): Promise<T | null> {
      return new Promise((resolve) => {
        const abort = (): void => waiting.end(false);
        const waiting: Waiting = {
          turn: turns,
          end: (isGranted) => {
            const granted = isGranted ? grant() : null;
            signal.removeEventListener('abort', abort);
            endpoint.waiting.delete(waiting);
            if (endpoint.waiting.size === 0) endpoint.partner.waiting.delete(endpoint);
            forgetIdle(endpoint);
            resolve(granted);
          },
        };
        turns += 1;
        endpoint.waiting.add(waiting);
        endpoint.partner.waiting.add(endpoint);
        signal.addEventListener('abort', abort);
      });
    },
  };
}

/** Endpoints for which somebody waits who lacks nothing but a permit, in the order of the turns of those who wait longest. */
export function createReadyEndpoints() {
  /** The first one last. */
  const ready: Endpoint[] = [];
  const turnOf = ({ readyAt = 0 }: Endpoint): number => readyAt;
  const add = (endpoint: Endpoint): void => {
    const [first] = endpoint.waiting;
    if (first === undefined || endpoint.readyAt !== undefined) return;
    endpoint.readyAt = first.turn;
    let [from, to] = [0, ready.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (turnOf(ready[middle] as Endpoint) > first.turn) from = middle + 1;
      else to = middle;
    }
    ready.splice(from, 0, endpoint);
  };
  return {
    add,
    takeFirst(): Endpoint | undefined {
      for (let endpoint = ready.pop(); endpoint !== undefined; endpoint = ready.pop()) {
        const [first] = endpoint.waiting;
        const foundReadyAt = endpoint.readyAt;
        endpoint.readyAt = undefined;
        if (first?.turn === foundReadyAt) return endpoint;
        // Who waited longest for it waits no more: it is the turn of another.
        add(endpoint);
      }
      return undefined;
    },
  };
}
