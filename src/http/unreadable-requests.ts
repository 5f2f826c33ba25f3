import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS } from '../domain/error-registry.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { newId } from '../platform/ids.ts';
import { errorBody } from './error-handler.ts';

/** The errors of Node's parser and time limits; any other error means that the input is not HTTP. */
const REJECTIONS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/**
 * Rejects unreadable requests in the documented form and closes the connection. A response to an earlier request is
 * completed first; a request that becomes unreadable after its own response has begun is cut off.
 */
export function rejectUnreadable(
  server: Server,
  responseOn: (socket: Socket) => ServerResponse | undefined,
  hasErrorPages: boolean,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = responseOn(socket);
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (response === undefined || (!response.headersSent && !response.req.complete)) {
      const code = REJECTIONS[error.code ?? ''] ?? 'MALFORMED_REQUEST';
      socket.end(rejection(code, hasErrorPages), () => socket.destroy());
    } else if (response.req.complete) response.once('close', () => socket.destroySoon());
    else socket.destroy();
  });
}

function rejection(code: ErrorCode, hasPage: boolean): string {
  const { status, when, remedy } = ERRORS[code];
  const requestId = newId();
  const body = JSON.stringify(errorBody({ code, message: `${when} ${remedy}`, requestId, hasPage }));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
