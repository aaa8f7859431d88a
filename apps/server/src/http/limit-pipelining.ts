import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type RequestType = typeof IncomingMessage;
type ResponseType = typeof ServerResponse<IncomingMessage>;

/**
 * The property of a socket that counts its unanswered requests. A WeakMap of all sockets would be
 * slower.
 */
const pending = Symbol('pending');
type CountedSocket = Socket & { [pending]?: number };

function countPending(socket: CountedSocket, change: 1 | -1): void {
  socket[pending] = (socket[pending] ?? 0) + change;
}

function leaveQueue(this: ServerResponse): void {
  countPending(this.req.socket, -1);
}

/** The part of the options of `createServer` that limits pipelining. */
export interface PipeliningOptions {
  readonly IncomingMessage: RequestType;
  readonly ServerResponse: ResponseType;
  readonly shouldUpgradeCallback: NonNullable<ServerOptions['shouldUpgradeCallback']>;
}

/**
 * Creates options for `createServer` that limit how many requests of one connection may wait for
 * their responses (HTTP pipelining). The server closes a connection that exceeds the limit.
 *
 * The limit prevents an attack: one segment of 64 kB contains 2,600 small requests. Node parses all
 * of them in one step and creates 10 MB of objects. `socket.pause()` and `socket.destroy()` do not
 * stop the parser: in tests, 100 connections still used up a heap of 512 MB. Only an upgrade
 * request stops the parser. So a request over the limit is treated as an upgrade request. Node then
 * closes the connection, because the server does not listen to `upgrade`.
 */
export function limitPipelining(maxPending: number): PipeliningOptions {
  class LimitedRequest extends IncomingMessage {
    readonly isOverLimit: boolean;
    /**
     * The field is only declared. The constructor of the base class sets it through the setter
     * `upgrade`, and a real class field would reset it afterwards.
     */
    declare private asksForUpgrade: boolean;

    constructor(socket: Socket) {
      super(socket);
      this.isOverLimit = ((socket as CountedSocket)[pending] ?? 0) >= maxPending;
    }

    /**
     * Tells Node whether the request asks for an upgrade. Node calls `shouldUpgradeCallback` only
     * for such a request.
     */
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
      countPending(this.req.socket, 1);
      this.on('close', leaveQueue);
    }
  }

  return {
    IncomingMessage: LimitedRequest,
    ServerResponse: CountedResponse,
    shouldUpgradeCallback: (request: IncomingMessage) =>
      request instanceof LimitedRequest && request.isOverLimit,
  };
}
