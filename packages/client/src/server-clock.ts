import type { Schemas } from './operation-types.ts';

/** Milliseconds of two clocks: one follows corrections and sleep, the other is monotonic. */
type Reading = { wallMs: number; steadyMs: number };
type Sample = { sentAt: Reading; serverMs: number };

export type ServerClock = {
  read(): Reading;
  /** `date`: a response's Date header. `sentAt`: read before the request left. */
  observe(date: string | null, sentAt: Reading): void;
  /** Whole seconds for which the hold can surely still be confirmed; 0 if it is not ACTIVE. */
  secondsLeft(hold: Pick<Schemas['Hold'], 'status' | 'hold_expiry_at'>): number;
};

/**
 * Computes the latest time that the server's clock can show. A Date header lacks milliseconds and was written after the
 * request left, when the server's clock showed less than Date plus one second. The newest response counts.
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
      if (newest === undefined) throw new Error('No response has told the time of the server yet');
      if (status !== 'ACTIVE') return 0;
      return Math.max(0, Math.floor((Date.parse(expiryAt) - latestMs(newest)) / 1000));
    },
  };
}
