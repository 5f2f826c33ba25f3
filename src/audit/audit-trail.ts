import type { Request, RequestHandler, Response } from 'express';
import { pathOf } from '../http/base-app.ts';
import type { Operator } from '../http/operator.ts';
import type { Route } from '../http/route.ts';
import type { Attempt, AuditDeps, AuditRow } from './audit.service.ts';
import { beginAction, completeAction, recordAction } from './audit.service.ts';
import { createAuditLookup } from './audited-subject.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Writes down every call that may change something, whoever serves it: mounted once behind the operator's sign-in, before all
 * that can be called there, so that no route can be forgotten. The row is there before the call goes on, and has its outcome
 * before the answer leaves (ADR 0010).
 */
export function auditTrail(
  deps: AuditDeps,
  routes: readonly Route<Operator>[],
  operatorOf: (res: Response) => Operator,
): RequestHandler {
  const find = createAuditLookup(routes);
  return async (req, res, next) => {
    if (READING.has(req.method)) {
      next();
      return;
    }
    const operator = operatorOf(res);
    const audited = find(req.method, req.path, operator);
    const isOfBoard = req.path.startsWith('/queues/');
    const action = audited?.action ?? (isOfBoard ? 'useQueueBoard' : 'unknown');
    const before = (await audited?.readSubject()) ?? null;
    const id = await beginAction(deps, attemptOf(req, res, action, operator.via), before);
    beforeAnswer(res, async (body) => {
      const isRefused = res.statusCode >= 400;
      const answered = body ?? (await audited?.readSubject().catch(() => null));
      await completeAction(deps, id, {
        status: res.statusCode,
        errorCode: isRefused ? errorCodeOf(body) : null,
        after: isRefused ? null : answered,
      });
    });
    next();
  };
}

type SignIn = { action: 'signIn' | 'signOut'; who: AuditRow['who']; status: number };

/** Writes down a sign-in or sign-out, which come before there is an operator. */
export function signInTrail(deps: AuditDeps) {
  return (req: Request, res: Response, { action, who, status }: SignIn): Promise<void> =>
    recordAction(deps, attemptOf(req, res, action, who), status);
}

function attemptOf(req: Request, res: Response, action: string, who: AuditRow['who']): Attempt {
  const requestId = String(res.getHeader('X-Request-Id') ?? '');
  return { who, action, method: req.method, path: pathOf(res), requestId };
}

/** Has `work` done between the end of the handler and the last byte of the answer; it must not throw. */
function beforeAnswer(res: Response, work: (body: unknown) => Promise<void>): void {
  const { json, end } = res;
  let body: unknown;
  res.json = (value: unknown) => {
    body = value;
    return json.call(res, value);
  };
  res.end = ((...rest: Parameters<typeof end>) => {
    res.end = end;
    void work(body).finally(() => end.apply(res, rest));
    return res;
  }) as typeof end;
}

function errorCodeOf(body: unknown): string | null {
  const code = (body as { error?: { code?: unknown } } | undefined)?.error?.code;
  return typeof code === 'string' ? code : null;
}
