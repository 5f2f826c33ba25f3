import type { Request, RequestHandler, Response } from 'express';
import { idsIn } from '../../http/redact-path.rules.ts';
import { clientAddressOf, pathOf, serverRequestIdOf } from '../../http/request-facts.ts';
import type { Operator, Route, SignedIn } from '../../http/route.ts';
import { sentBody } from '../../http/send-json.ts';
import type { BoardCall } from '../operators/queue-board.rules.ts';
import type { SignIn } from '../operators/sign-in.ts';
import { type Attempt, type AuditDeps, beginAction, completeAction, recordAction } from './audit.service.ts';
import { createAuditLookup } from './audited-subject.ts';
import { createWrongKeyTrail } from './wrong-key-trail.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Audits every call that may change something. Mounted once, after the operator's sign-in and before all routes, so
 * that no route is left out. The row is written before the call, its outcome before the response (ADR 0018).
 */
export function auditTrail(
  deps: AuditDeps,
  routes: readonly Route<Operator>[],
  operatorOf: (req: Request, res: Response) => Operator,
  boardCallOf: (req: Request) => BoardCall | undefined,
): RequestHandler {
  const find = createAuditLookup(routes);
  return async (req, res, next) => {
    if (READING.has(req.method)) {
      next();
      return;
    }
    const operator = operatorOf(req, res);
    const audited = find(req.method, req.path, operator);
    const ofBoard = boardCallOf(req);
    const action = audited?.action ?? ofBoard?.action ?? 'unknown';
    const before = (await audited?.readSubject()) ?? null;
    const attempt = attemptOf(req, res, action, operator);
    const subjects = [...attempt.subjects, ...(ofBoard?.subjects ?? [])];
    const id = await beginAction(deps, { ...attempt, subjects, reason: ofBoard?.reason ?? null }, before);
    beforeResponse(res, async (body) => {
      const isRejected = res.statusCode >= 400;
      const after = body ?? (await audited?.readSubject().catch(() => null));
      await completeAction(deps, id, {
        status: res.statusCode,
        errorCode: isRejected ? errorCodeOf(body) : null,
        after: isRejected ? null : after,
      });
    });
    next();
  };
}

/** Audits sign-ins, sign-outs and wrong keys. */
export function signInTrail(deps: AuditDeps) {
  const recordOne = createWrongKeyTrail(deps);
  return {
    record: async (req: Request, res: Response, { action, operator, status }: SignIn): Promise<void> => {
      await recordAction(deps, attemptOf(req, res, action, operator), status);
    },
    recordWrongKey: (req: Request, res: Response, action: 'signIn' | 'wrongKey', status: number): Promise<void> =>
      recordOne(attemptOf(req, res, action, null), status),
  };
}

function attemptOf(req: Request, res: Response, action: string, operator: SignedIn | null): Attempt {
  return {
    who: operator?.via ?? null,
    keyId: operator?.keyId ?? null,
    address: clientAddressOf(req) ?? null,
    action,
    method: req.method,
    path: pathOf(res),
    subjects: idsIn(pathOf(res)),
    reason: null,
    requestId: String(res.getHeader('X-Request-Id') ?? ''),
    serverRequestId: serverRequestIdOf(res),
  };
}

/** Runs `work`, which must not throw, between the end of the handler and the last byte of the response. */
function beforeResponse(res: Response, work: (body: unknown) => Promise<void>): void {
  const { end } = res;
  res.end = ((...rest: Parameters<typeof end>) => {
    res.end = end;
    void work(sentBody(res)).finally(() => end.apply(res, rest));
    return res;
  }) as typeof end;
}

function errorCodeOf(body: unknown): string | null {
  const code = (body as { error?: { code?: unknown } } | undefined)?.error?.code;
  return typeof code === 'string' ? code : null;
}
