import { createClient, type Reply } from '../support/client.ts';
import type { Listeners } from '../support/service-environment.ts';

export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** Sends the form of the sign-in page, by default from the page itself. */
export const signIn = (
  { adminUrl }: Pick<Listeners, 'adminUrl'>,
  form: string | Record<string, string>,
  headers: Record<string, string> = SAME_ORIGIN,
): Promise<Reply> =>
  createClient(adminUrl, undefined).send('POST', '/sign-in', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(typeof form === 'string' ? { key: form } : form).toString(),
  });

/** The session cookie that a response sets; empty without one. */
export const cookieOf = (reply: Reply): string => reply.headers.get('set-cookie')?.split(';')[0] ?? '';
