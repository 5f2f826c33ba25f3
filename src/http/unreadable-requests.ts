import type { Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../domain/errors.ts';
import { newId } from '../platform/ids.ts';
import { ERRORS } from './error-registry.ts';
import { errorBody } from './error-responses.ts';

/** What the parser and the clock of Node's server refuse before the app hears of it; everything else is no HTTP. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/**
 * Returns what cannot be read as a request in the documented form, which Node by itself does without a body, and closes the
 * connection. Where a response has begun on it, or one to an earlier request is under way (`answerOn`), nothing is put in
 * between: that one ends first.
 */
export function answerUnreadable(
  server: Server,
  answerOn: (socket: Socket) => ServerResponse | undefined,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = answerOn(socket);
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (answer === undefined || (!answer.headersSent && !answer.req.complete)) {
      socket.end(refusal(REFUSALS[error.code ?? ''] ?? 'MALFORMED_REQUEST'), () => socket.destroy());
    } else if (answer.req.complete) answer.once('close', () => socket.destroySoon());
    else socket.destroy();
  });
}

function refusal(code: ErrorCode): string {
  const { status, when, remedy } = ERRORS[code];
  const requestId = newId();
  const body = JSON.stringify(errorBody(code, `${when} ${remedy}`, requestId));
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
