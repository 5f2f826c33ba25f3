import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** How long a sign-in lasts (operator interface, "Listeners"). */
export const SESSION_SECONDS = 8 * 3600;

/** Whether `given` is the operator's key; takes the same time wherever they differ. */
export function isOperatorKey(given: string, operatorApiKey: string): boolean {
  return timingSafeEqual(digest(given), digest(operatorApiKey));
}

/** A session token `<expiry in Unix seconds>.<signature>`. A new operator key ends every session. */
export function signSession(operatorApiKey: string, now: Date): string {
  const expiresAt = String(Math.floor(now.getTime() / 1000) + SESSION_SECONDS);
  return `${expiresAt}.${signature(operatorApiKey, expiresAt)}`;
}

/** Whether the token was made by `signSession` with this key and has not run out. */
export function isLiveSession(token: string, operatorApiKey: string, now: Date): boolean {
  const [expiresAt = '', given = ''] = token.split('.', 2);
  const isGenuine = timingSafeEqual(digest(given), digest(signature(operatorApiKey, expiresAt)));
  return isGenuine && Number(expiresAt) * 1000 > now.getTime();
}

function signature(operatorApiKey: string, expiresAt: string): string {
  return createHmac('sha256', operatorApiKey).update(`operator-session.${expiresAt}`).digest('base64url');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
