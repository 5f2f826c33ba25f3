import type { Request, RequestHandler, Response } from 'express';
import { addressKey } from '../../http/client-address.rules.ts';
import { idsIn } from '../../http/redact-path.rules.ts';
import { clientAddressOf, pathOf, serverRequestIdOf } from '../../http/request-facts.ts';
import type { Operator, Route, SignedIn } from '../../http/route.ts';
import { sentBody } from '../../http/send-json.ts';
import { type Attempt, type AuditDeps, completeAction, recordAction } from './audit.service.ts';
import { setAttempts } from './audit.store.ts';
import { createAuditLookup } from './audited-subject.ts';

/** A call of the queue board in the audit; `reason` is null if the call has no valid one. */
export type BoardCall = {
  action: 'pauseQueue' | 'resumeQueue' | 'useQueueBoard';
  subjects: string[];
  reason: string | null;
};

const READ_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

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
  const findAuditedCall = createAuditLookup(routes);
  return async (req, res, next) => {
    if (READ_METHODS.has(req.method)) {
      next();
      return;
    }
    const operator = operatorOf(req, res);
    const auditedCall = findAuditedCall(req.method, req.path, operator);
    const boardCall = boardCallOf(req);
    const action = auditedCall?.action ?? boardCall?.action ?? 'unknown';
    const before = (await auditedCall?.readSubject()) ?? null;
    const id = await recordAction(deps, attemptOf(req, res, action, operator, boardCall), null, before);
    beforeResponse(res, async (body) => {
      const isRejected = res.statusCode >= 400;
      const after = body ?? (await auditedCall?.readSubject().catch(() => null));
      await completeAction(deps, id, {
        status: res.statusCode,
        errorCode: isRejected ? errorCodeOf(body) : null,
        after: isRejected ? null : after,
      });
    });
    next();
  };
}

/** Audits sign-ins and sign-outs (if `record` throws, they fail) and wrong keys (`recordWrongKey` never throws). */
export function signInTrail(deps: AuditDeps) {
  const recordWrongKey = createWrongKeyTrail(deps);
  return {
    record: (req: Request, res: Response, action: 'signIn' | 'signOut', operator: SignedIn): Promise<unknown> =>
      recordAction(deps, attemptOf(req, res, action, operator), 303),
    recordWrongKey: (req: Request, res: Response, action: 'signIn' | 'wrongKey', status: number): Promise<void> =>
      recordWrongKey(attemptOf(req, res, action, null), status),
  };
}

const WINDOW_MS = 60_000;
const WRITE_EVERY_MS = 1000;
const MAX_ROWS = 100;

/** An audit row with its count of wrong keys. `id` resolves once the row is written, to undefined if that failed. */
type WrongKeyRow = { id: Promise<string | undefined>; attempts: number };

/**
 * Audits wrong keys without letting a flood fill the audit: one row with a count each minute for each address and kind
 * of attempt, and at most 100 rows a minute in this process; one more row counts all other addresses. The first attempt
 * is written before the response, the counts once a second. Failures are only logged: nothing depends on these rows.
 */
function createWrongKeyTrail(deps: AuditDeps) {
  let rows = new Map<string, WrongKeyRow>();
  let beganAt = Number.NEGATIVE_INFINITY;
  const changedRows = new Set<WrongKeyRow>();

  const writeCounts = async () => {
    const counts = [...changedRows].map(async ({ id, attempts }) => ({ id: await id, attempts }));
    changedRows.clear();
    const written = (await Promise.all(counts)).flatMap(({ id, attempts }) =>
      id === undefined ? [] : [{ id, attempts }],
    );
    await setAttempts(deps.db, written);
  };
  const logFailure = (err: unknown): undefined => {
    deps.log.warn({ error: (err as Error).message }, 'a wrong key could not be audited');
  };

  return async (attempt: Attempt, status: number): Promise<void> => {
    const now = performance.now();
    if (now - beganAt >= WINDOW_MS) {
      rows = new Map();
      beganAt = now;
    }
    const ownKey = `${attempt.action} ${addressKey(attempt.address ?? undefined)}`;
    const hasOwnRow = rows.has(ownKey) || rows.size < MAX_ROWS;
    const key = hasOwnRow ? ownKey : 'others';
    const row = rows.get(key);
    if (row === undefined) {
      const address = hasOwnRow ? attempt.address : null;
      const id = recordAction(deps, { ...attempt, address }, status).catch(logFailure);
      rows.set(key, { id, attempts: 1 });
      await id;
      return;
    }
    row.attempts += 1;
    if (changedRows.size === 0) setTimeout(() => void writeCounts().catch(logFailure), WRITE_EVERY_MS).unref();
    changedRows.add(row);
  };
}

function attemptOf(
  req: Request,
  res: Response,
  action: string,
  operator: SignedIn | null,
  boardCall?: BoardCall,
): Attempt {
  return {
    who: operator?.via ?? null,
    keyId: operator?.keyId ?? null,
    address: clientAddressOf(req) ?? null,
    action,
    method: req.method,
    path: pathOf(res),
    subjects: [...idsIn(pathOf(res)), ...(boardCall?.subjects ?? [])],
    reason: boardCall?.reason ?? null,
    requestId: String(res.getHeader('X-Request-Id') ?? ''),
    serverRequestId: serverRequestIdOf(res),
  };
}

/** Runs `work`, which must not throw, after the handler and before the response is completed. */
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
