import type { Request, Response } from 'express';
import { clientAddress } from './client-address.rules.ts';

/** Who was found to call, on either listener. */
export function callerOf({ locals }: Response): { partnerId?: string; keyId: string } | undefined {
  return (locals['caller'] ?? locals['operator']) as { partnerId?: string; keyId: string } | undefined;
}

/** The id that this service gave the request, whatever the caller named it. */
export function serverRequestIdOf(res: Response): string {
  return res.locals['serverRequestId'] as string;
}

/** The address of who calls; undefined where the connection is gone. */
export function clientAddressOf(req: Request): string | undefined {
  return clientAddress(req.ip, req.socket.remoteAddress);
}

/** The path of the request as it may be written down. */
export function pathOf(res: Response): string {
  return res.locals['path'] as string;
}
