import type { Request, Response } from 'express';
import type { Cause } from '../domain/change-origin.ts';
import { isUuid } from '../platform/ids.ts';
import { omitUndefined } from '../platform/objects.ts';
import { clientAddress } from './client-address.rules.ts';
import { traceparentOfRequest } from './trace-requests.ts';

export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export function callerOf({ locals }: Response): { partnerId?: string; keyId: string } | undefined {
  return (locals['caller'] ?? locals['operator']) as { partnerId?: string; keyId: string } | undefined;
}

export function causeOf(req: Request, res: Response): Cause {
  return { requestId: req.id as string, ...omitUndefined({ traceparent: traceparentOfRequest(res) }) };
}

export function serverRequestIdOf(res: Response): string {
  return res.locals['serverRequestId'] as string;
}

type Subject = { hold_id?: string; booking_id?: string };

export function subjectOf(res: Response): Subject | undefined {
  return res.locals['subject'] as Subject | undefined;
}

/** Notes the hold and booking of a request, from the path, the body or the response. */
export function noteSubject(req: Request, res: Response, sent: unknown, response: unknown): void {
  const subject: Subject = {};
  for (const [field, param] of [
    ['hold_id', 'holdId'],
    ['booking_id', 'bookingId'],
  ] as const) {
    const id = [req.params[param], valueOf(sent, field), valueOf(response, field)].find(isId);
    if (id !== undefined) subject[field] = id;
  }
  res.locals['subject'] = subject;
}

const valueOf = (body: unknown, field: string): unknown =>
  (body as Record<string, unknown> | null | undefined)?.[field];

/** Only ids may be logged, no other text. */
const isId = (value: unknown): value is string => typeof value === 'string' && isUuid(value);

/** The caller's address; undefined if the connection is gone. */
export function clientAddressOf(req: Request): string | undefined {
  return clientAddress(req.ip, req.socket.remoteAddress);
}

/** The path of a request, as it may be logged (`redactPath`). */
export function pathOf(res: Response): string {
  return res.locals['path'] as string;
}
