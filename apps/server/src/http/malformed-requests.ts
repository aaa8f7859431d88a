import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from './api-error.ts';
import type { RequestOutcome } from './request-outcome.ts';

/**
 * Answers what Node's HTTP parser refuses, which never becomes a request, as its listener answers
 * everything else: with an id and the Error body. Node's own answer has neither.
 *
 * @param options.headersFor what every answer to a caller says besides.
 */
export function answerMalformedRequests(
  server: Server,
  options: {
    headersFor: (socket: Socket) => Promise<Readonly<Record<string, string>>>;
    onEnd: (outcome: RequestOutcome) => void;
  },
): void {
  const { headersFor, onEnd } = options;
  server.on('clientError', function answer(error: NodeJS.ErrnoException, socket: Socket) {
    const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse };
    // A request that came whole, pipelined before the malformed one, is answered first, or its caller
    // would take this answer for its own (RFC 9112, §9.3.2).
    if (response?.req.complete && !response.writableFinished) {
      response.once('finish', () => answer(error, socket));
      return;
    }
    // An answer that has begun cannot be followed by another.
    if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent) {
      socket.destroy();
      return;
    }
    headersFor(socket)
      .then((more) => {
        const apiError = new ApiError('invalid_request', messageOf(error));
        const { status } = apiError;
        const body = JSON.stringify(apiError.toBody());
        const requestId = randomUUID();
        const headers = {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': Buffer.byteLength(body),
          'X-Request-Id': requestId,
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
          ...more,
          Connection: 'close',
        };
        const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.end(`HTTP/1.1 ${status} Bad Request\r\n${fields.join('')}\r\n${body}`);
        // What went wrong within a body was a request before, and is told of as that.
        if (response) return;
        onEnd({ ...unreadRequest, requestId, status, errorCode: apiError.code });
      })
      .catch(() => socket.destroy());
  });
}

/** What is known of a request that could not be read: next to nothing. */
const unreadRequest = {
  method: 'unknown',
  route: undefined,
  aborted: false,
  durationMs: 0,
} as const;

function messageOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'headers: expected at most 16 kB';
    case 'HPE_INVALID_METHOD':
      return 'method: expected one that HTTP knows';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request: expected it to arrive sooner';
    default:
      return 'request: expected valid HTTP/1.1';
  }
}
