import { type Fault, startFaultyProxy } from '../client/faulty-proxy.ts';

/** A call that may change something, numbered from 1. */
type Write = { number: number; method: string; path: string; body: unknown };

/** What happens to a write: passed on, rejected (503), or executed without a response. */
export type Verdict = 'pass' | 'refuse' | 'swallow' | undefined;

const REJECTION = {
  success: false,
  error: { code: 'SERVICE_UNAVAILABLE', message: 'The database is away.', request_id: 'relay-1' },
};

const FAULTS: Readonly<Record<NonNullable<Verdict>, Fault>> = {
  pass: { kind: 'none' },
  refuse: { kind: 'answered', status: 503, body: JSON.stringify(REJECTION) },
  swallow: { kind: 'cut', share: 0 },
};

/** Proxies a command's calls to the service. `onWrite` decides about each write. */
export async function startRelay(
  target: string,
  onWrite: (write: Write) => Verdict | Promise<Verdict>,
  /** Whether a preview (a POST that changes nothing) also counts as a write. */
  countsPreviews = false,
) {
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
