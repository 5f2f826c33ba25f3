import { Pool } from 'undici';
import { signDelivery } from '../../src/webhooks/sender/signature.rules.ts';
import type { OpenStep } from './http-steps.ts';

const SECRET_KEY = 'whsec_of-the-benchmark-alone-and-of-no-partner--';

/** Signs and posts a body of `bytes` and does nothing else: the least that a delivery can cost. */
export function openSignedPost({ url, bytes }: { url: string; bytes: number }, callers: number): OpenStep {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: callers, pipelining: 1 });
  const step = async (call: number) => {
    const body = JSON.stringify({ event_type: 'hold_created', hold_id: `post-${call}`, padding: '' });
    const paddedBody = body.replace('""', `"${'x'.repeat(Math.max(0, bytes - body.length))}"`);
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const { statusCode, body: response } = await pool.request({
      path,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Service-Timestamp': String(timestampSeconds),
        'X-Service-Signature': signDelivery({ secretKey: SECRET_KEY, timestampSeconds, body: paddedBody }),
      },
      body: paddedBody,
    });
    await response.dump();
    return String(statusCode);
  };
  return { step, close: () => pool.close() };
}
