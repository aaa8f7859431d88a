import type { Socket } from 'node:net';
import { newestResponse } from './limit-pipelining.ts';

/**
 * Makes a connection close in stages if its last response was sent before the body of the request
 * has arrived completely (RFC 9112, §9.6). The server first ends only its own side. It then drops
 * the rest of the body, until the body is complete or the caller closes the connection. The timeouts
 * of the listener limit this time.
 *
 * Node calls `destroySoon` after a response with `Connection: close`, and the original function
 * closes both sides. The kernel then resets the connection when the next bytes of the body arrive,
 * so a caller that is still sending gets an error instead of the response.
 *
 * @param onStaged a function that is called when the server has ended its side. It must make the
 * listener ignore further requests of the connection.
 */
export function closeInStages(socket: Socket, onStaged: (socket: Socket) => void): void {
  const destroySoon = socket.destroySoon;
  socket.destroySoon = function endThenDestroy() {
    // If Node calls the function again, for example after an error, both sides are closed.
    socket.destroySoon = destroySoon;
    const response = newestResponse(socket);
    if (response === undefined || !response.writableEnded || response.req.complete) {
      socket.destroySoon();
      return;
    }
    onStaged(socket);
    socket.end();
    response.req.once('end', () => socket.destroySoon());
  };
}
