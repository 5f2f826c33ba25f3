import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { pinoHttp } from 'pino-http';
import { errorFields, type Logger } from '../platform/logger.ts';
import { traceFields } from '../platform/tracing.ts';
import { callerOf, clientAddressOf, pathOf, REQUEST_ID, serverRequestIdOf, subjectOf } from './request-facts.ts';
import { inTrace } from './trace-requests.ts';

/** Logs one line a request. `requestFields` adds the ids: with `customProps`, pino-http would create more loggers. */
export function logRequests(log: Logger): RequestHandler {
  return pinoHttp({
    logger: log,
    genReqId: (req, res) => {
      const given = req.headers['x-request-id'];
      const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : serverRequestIdOf(res as Response);
      res.setHeader('X-Request-Id', id);
      return id;
    },
    serializers: { req: () => undefined, err: errorFields },
    // Passes the error itself to the serializer.
    wrapSerializers: false,
    customSuccessObject: requestFields,
    customErrorObject: (req, res, err, value: { responseTime: number }) => ({ ...requestFields(req, res, value), err }),
    customLogLevel: (_req, res, err) => (err !== undefined || res.statusCode >= 500 ? 'error' : 'info'),
    customErrorMessage: () => 'request failed',
  }) as RequestHandler;
}

function requestFields(req: IncomingMessage, res: ServerResponse, { responseTime }: { responseTime: number }) {
  const caller = callerOf(res as Response);
  return {
    request_id: req.id,
    // The caller may have chosen the request_id.
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

export function requestLog(req: Request, res: Response): Logger {
  return req.log.child({ request_id: req.id, server_request_id: serverRequestIdOf(res) });
}
