import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits how many requests of one connection may wait for their responses, and closes connections
 * that exceed it. Gives options for `createServer`.
 *
 * Against callers that pipeline thousands of small requests: Node parses a segment of 64 kB to its
 * end and makes two objects of each request, 10 MB in all, before it looks at anything else. Pausing
 * or destroying the socket does not stop that: 100 connections exhausted a heap of 512 MB. Only an
 * upgrade stops the parser, so a request over the limit is declared one. Nobody listens to `upgrade`,
 * and for that case Node closes the connection.
 */
export function limitPipelining(
  maxPending: number,
): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse' | 'shouldUpgradeCallback'> {
  const pending = new WeakMap<Socket, number>();
  const pendingOf = (socket: Socket) => pending.get(socket) ?? 0;

  class LimitedRequest extends IncomingMessage {
    readonly isOverLimit: boolean;
    /** Declared only: a field would be reset after the base class has set it, by `upgrade`. */
    declare private asksForUpgrade: boolean;

    constructor(socket: Socket) {
      super(socket);
      this.isOverLimit = pendingOf(socket) >= maxPending;
    }

    /** Node asks `shouldUpgradeCallback` about a request only if this is true. */
    get upgrade(): boolean {
      return this.isOverLimit || this.asksForUpgrade;
    }

    set upgrade(asked: boolean) {
      this.asksForUpgrade = asked;
    }
  }

  class CountedResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    constructor(...construction: ConstructorParameters<typeof ServerResponse<Request>>) {
      super(...construction);
      const { socket } = this.req;
      pending.set(socket, pendingOf(socket) + 1);
      this.once('close', () => pending.set(socket, pendingOf(socket) - 1));
    }
  }

  return {
    IncomingMessage: LimitedRequest,
    ServerResponse: CountedResponse,
    shouldUpgradeCallback: (request: IncomingMessage) =>
      request instanceof LimitedRequest && request.isOverLimit,
  };
}
