import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

export const SESSION_SECONDS = 8 * 3600;

/** Whether `given` is the operator's key; the comparison takes constant time. */
export function isOperatorKey(given: string, operatorApiKey: string): boolean {
  return timingSafeEqual(digest(given), digest(operatorApiKey));
}

/** Identifies the operator's key in log and audit without revealing anything about it. */
export function operatorKeyId(operatorApiKey: string): string {
  const digits = createHmac('sha256', operatorApiKey).update('operator-key-id').digest('hex').slice(0, 12);
  return `op_${digits}`;
}

/** The contents of a session token. A sign-out ends the session by its `id`. */
export type Session = { id: string; expiresAt: Date };

/** A new token `<expiry in Unix seconds>.<id>.<signature>`. Changing the operator key ends every session. */
export function signSession(operatorApiKey: string, now: Date): string {
  const expiresAt = String(Math.floor(now.getTime() / 1000) + SESSION_SECONDS);
  const id = randomUUID();
  return `${expiresAt}.${id}.${signature(operatorApiKey, expiresAt, id)}`;
}

/** The session of a valid, unexpired token of this key; undefined for any other token. */
export function openSession(token: string, operatorApiKey: string, now: Date): Session | undefined {
  const [seconds = '', id = '', given = ''] = token.split('.', 3);
  const isGenuine = timingSafeEqual(digest(given), digest(signature(operatorApiKey, seconds, id)));
  const expiresAt = new Date(Number(seconds) * 1000);
  return isGenuine && expiresAt > now ? { id, expiresAt } : undefined;
}

function signature(operatorApiKey: string, expiresAt: string, id: string): string {
  return createHmac('sha256', operatorApiKey).update(`operator-session.${expiresAt}.${id}`).digest('base64url');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
