import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { formatRateLimit, stringifyJson } from '@animal-store/contract';
import { ApiError } from '../api-error.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { networkOf } from './client-network.ts';

/**
 * Answers what Node's HTTP parser refuses, which never becomes a request, as the API answers
 * everything else: with the Error body and the address's quota. Node's own answer has neither.
 */
export function answerMalformedRequests(server: Server, quotas: Quotas): void {
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
    quotas
      .peekAddress(networkOf(undefined, socket))
      .then(({ reported, windows }) => {
        const { status, ...rest } = new ApiError('invalid_request', messageOf(error)).toBody();
        const body = stringifyJson({ ...rest, status });
        const headers = {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': Buffer.byteLength(body),
          'X-Request-Id': randomUUID(),
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
          ...formatRateLimit(reported, windows),
          Connection: 'close',
        };
        const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.end(`HTTP/1.1 ${status} Bad Request\r\n${fields.join('')}\r\n${body}`);
      })
      .catch(() => socket.destroy());
  });
}

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
