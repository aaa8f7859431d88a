import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type RequestType = typeof IncomingMessage;
type ResponseType = typeof ServerResponse<IncomingMessage>;

/** Options of `createServer`. */
export interface PipeliningOptions {
  readonly IncomingMessage: RequestType;
  readonly ServerResponse: ResponseType;
  readonly shouldUpgradeCallback: NonNullable<ServerOptions['shouldUpgradeCallback']>;
}

/**
 * Creates options for `createServer` that limit how many requests of one connection may wait for their
 * responses. A connection that exceeds the limit is closed.
 *
 * The attack: one segment of 64 kB holds 2,600 small requests. Node parses all of them at once, and
 * creates 10 MB of objects. `socket.pause()` and `socket.destroy()` do not stop the parser: with either,
 * 100 connections exhausted a heap of 512 MB. Only an upgrade stops it. So a request over the limit is
 * treated as an upgrade, and Node closes the connection because nobody listens to `upgrade`.
 */
export function limitPipelining(maxPending: number): PipeliningOptions {
  const pending = new WeakMap<Socket, number>();
  const pendingOf = (socket: Socket) => pending.get(socket) ?? 0;

  class LimitedRequest extends IncomingMessage {
    readonly isOverLimit: boolean;
    /** `declare`: the base constructor sets it through `upgrade`, and a class field would reset it. */
    declare private asksForUpgrade: boolean;

    constructor(socket: Socket) {
      super(socket);
      this.isOverLimit = pendingOf(socket) >= maxPending;
    }

    /** Node calls `shouldUpgradeCallback` only if this is true. */
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
