import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

/** How long a sign-in lasts. */
export const SESSION_SECONDS = 8 * 3600;

/** Whether `given` is the operator's key; takes the same time wherever they differ. */
export function isOperatorKey(given: string, operatorApiKey: string): boolean {
  return timingSafeEqual(digest(given), digest(operatorApiKey));
}

/** Names the operator's key in log and audit: the same for the same key, and nothing from which it could be found. */
export function operatorKeyId(operatorApiKey: string): string {
  const digits = createHmac('sha256', operatorApiKey).update('operator-key-id').digest('hex').slice(0, 12);
  return `op_${digits}`;
}

/** What a token says of its session: `id` names it where it is ended before it runs out. */
export type Session = { id: string; expiresAt: Date };

/** A session token `<expiry in Unix seconds>.<id>.<signature>`, new each time. A new operator key ends every session. */
export function signSession(operatorApiKey: string, now: Date): string {
  const expiresAt = String(Math.floor(now.getTime() / 1000) + SESSION_SECONDS);
  const id = randomUUID();
  return `${expiresAt}.${id}.${signature(operatorApiKey, expiresAt, id)}`;
}

/** The session of a token that was made by `signSession` with this key and has not run out; undefined for any other. */
export function openSession(token: string, operatorApiKey: string, now: Date): Session | undefined {
  const [seconds = '', id = '', given = ''] = token.split('.', 3);
  const isGenuine = timingSafeEqual(digest(given), digest(signature(operatorApiKey, seconds, id)));
  const expiresAt = new Date(Number(seconds) * 1000);
  return isGenuine && expiresAt > now ? { id, expiresAt } : undefined;
}

function signature(operatorApiKey: string, expiresAt: string, id: string): string {
  return createHmac('sha256', operatorApiKey)
    .update(`operator-session.${expiresAt}.${id}`)
    .digest('base64url');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
