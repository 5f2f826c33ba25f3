import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { HelmetOptions } from 'helmet';
import helmet from 'helmet';

export const SECURITY_OPTIONS: Readonly<HelmetOptions> = {
  // TLS ends before this process; a page that upgraded its own requests would break on a plain operator's port.
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  // Under `no-referrer` a browser sends `Origin: null` with a form, and the sign-in tells by it where the form is from.
  referrerPolicy: { policy: 'same-origin' },
};

/** The headers that helmet sets with these options, name and value, which are the same on every response. */
export function securityHeaders(): readonly (readonly [name: string, value: string])[] {
  const headers: [string, string][] = [];
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  res.setHeader = (name, value) => {
    headers.push([name, String(value)]);
    return res;
  };
  helmet(SECURITY_OPTIONS)(req, res, () => undefined);
  return headers;
}
