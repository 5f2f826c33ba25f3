import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { pinoHttp } from 'pino-http';
import type { Logger } from '../platform/logger.ts';
import { errorFields } from '../platform/logger.ts';
import { traceFields } from '../platform/tracing.ts';
import {
  callerOf,
  clientAddressOf,
  pathOf,
  REQUEST_ID,
  serverRequestIdOf,
  subjectOf,
} from './request-facts.ts';
import { inTrace } from './trace-requests.ts';

/**
 * One line a request, when it is over. It carries its ids itself, so that pino-http has no loggers to make with them, which no
 * request needs that logs nothing else (`requestLog`).
 */
export function logRequests(log: Logger): RequestHandler {
  return pinoHttp({
    logger: log,
    genReqId: (req, res) => {
      const given = req.headers['x-request-id'];
      const id =
        typeof given === 'string' && REQUEST_ID.test(given) ? given : serverRequestIdOf(res as Response);
      res.setHeader('X-Request-Id', id);
      return id;
    },
    serializers: { req: () => undefined, err: errorFields },
    // Given the error itself, not what pino would make of it.
    wrapSerializers: false,
    customSuccessObject: requestFields,
    customErrorObject: (req, res, err, value: { responseTime: number }) => ({
      ...requestFields(req, res, value),
      err,
    }),
    customLogLevel: (_req, res, err) => (err !== undefined || res.statusCode >= 500 ? 'error' : 'info'),
    customErrorMessage: () => 'request failed',
  }) as RequestHandler;
}

function requestFields(
  req: IncomingMessage,
  res: ServerResponse,
  { responseTime }: { responseTime: number },
): Record<string, unknown> {
  const caller = callerOf(res as Response);
  return {
    request_id: req.id,
    // Beside the id, which may be one that the caller chose.
    server_request_id: serverRequestIdOf(res as Response),
    duration_ms: responseTime,
    method: req.method,
    path: pathOf(res as Response),
    status: res.statusCode,
    address: clientAddressOf(req as Request),
    partner_id: caller?.partnerId,
    key_id: caller?.keyId,
    ...subjectOf(res as Response),
    ...inTrace(res as Response, traceFields),
  };
}

/** The log for what else is to be said of this request, under the ids of its line. */
export function requestLog(req: Request, res: Response): Logger {
  return req.log.child({ request_id: req.id, server_request_id: serverRequestIdOf(res) });
}
