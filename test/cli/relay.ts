import { type Fault, startFaultyProxy } from '../client/faulty-proxy.ts';

/** A call that may change something, counted from 1. */
export type Write = { number: number; method: string; path: string; body: unknown };

/** What becomes of a write: it is passed on, refused (503), or done and never answered for. */
export type Verdict = 'pass' | 'refuse' | 'swallow' | undefined;

export type Relay = { url: string; writes: Write[]; close: () => Promise<void> };

const REFUSAL = {
  success: false,
  error: { code: 'SERVICE_UNAVAILABLE', message: 'The database is away.', request_id: 'relay-1' },
};

const FAULTS: Readonly<Record<NonNullable<Verdict>, Fault>> = {
  pass: { kind: 'none' },
  refuse: { kind: 'answered', status: 503, body: JSON.stringify(REFUSAL) },
  swallow: { kind: 'cut', share: 0 },
};

/** Stands between a command and the service: passes every call on, and asks `onWrite` first about those that change something. */
export async function startRelay(
  target: string,
  onWrite: (write: Write) => Verdict | Promise<Verdict>,
  /** Whether a preview, which changes nothing and is a POST, is a write too. */
  countsPreviews = false,
): Promise<Relay> {
  const writes: Write[] = [];
  const { url, close } = await startFaultyProxy(target, async ({ method, path, body }) => {
    if (method === 'GET' || (path.endsWith('/change-preview') && !countsPreviews)) return FAULTS.pass;
    const sent: unknown = body === '' ? undefined : JSON.parse(body);
    const write = { number: writes.length + 1, method, path, body: sent };
    writes.push(write);
    return FAULTS[(await onWrite(write)) ?? 'pass'];
  });
  return { url, writes, close };
}
