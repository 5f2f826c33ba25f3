import type { Schemas } from './operation-types.ts';

/** Two clocks of this machine, in milliseconds: `wallMs` follows corrections and sleep; `steadyMs` never goes back. */
type Reading = { wallMs: number; steadyMs: number };
type Sample = { sentAt: Reading; serverMs: number };

export type ServerClock = {
  read(): Reading;
  /** Learns the time from a response. `date`: its Date header. `sentAt`: read before the request was sent. */
  observe(date: string | null, sentAt: Reading): void;
  /**
   * Whole seconds for which the hold can still be confirmed, never too many; 0 if it is not ACTIVE.
   * @throws Error before the first response
   */
  secondsLeft(hold: Pick<Schemas['Hold'], 'status' | 'hold_expiry_at'>): number;
};

/**
 * Computes the latest time that the server's clock can show, from the newest response. The server writes Date after the
 * request was sent, and without milliseconds. At `sentAt`, its clock therefore showed less than Date plus one second.
 */
export function createServerClock(
  read: () => Reading = () => ({ wallMs: Date.now(), steadyMs: performance.now() }),
): ServerClock {
  let newest: Sample | undefined;

  const latestMs = ({ serverMs, sentAt }: Sample): number => {
    const now = read();
    return serverMs + Math.max(now.wallMs - sentAt.wallMs, now.steadyMs - sentAt.steadyMs);
  };

  return {
    read,
    observe: (date, sentAt) => {
      const serverMs = Date.parse(date ?? '') + 1000;
      if (!Number.isNaN(serverMs)) newest = { sentAt, serverMs };
    },
    secondsLeft: ({ status, hold_expiry_at: expiryAt }) => {
      if (newest === undefined) throw new Error('secondsLeft needs a response first: make a call before it.');
      if (status !== 'ACTIVE') return 0;
      return Math.max(0, Math.floor((Date.parse(expiryAt) - latestMs(newest)) / 1000));
    },
  };
}
