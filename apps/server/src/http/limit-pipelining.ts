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

/** The length in bytes below which a chunk of a body counts as small. */
const smallChunkBytes = 256;

/**
 * The number of small chunks that a request may have before somebody reads its body. A program that
 * writes each token of its JSON as a chunk sends about 50 of them.
 */
const maxSmallChunks = 256;

/** The property of a request that counts its small chunks. Only requests with such chunks have it. */
const smallChunks = Symbol('small chunks');

function countPending(socket: CountedSocket, change: 1 | -1): void {
  socket[pending] = (socket[pending] ?? 0) + change;
}

function leaveQueue(this: ServerResponse): void {
  countPending(this.req.socket, -1);
}

/** The part of the options of `createServer` that limits pipelining and small chunks. */
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
 *
 * The server also closes the connection of a request whose body has too many small chunks that
 * nobody has read yet. This prevents another attack: Node creates an object of 500 bytes for each
 * chunk, and only counts the bytes of the chunks before it stops reading. In tests, a body in chunks
 * of one byte filled 11 MB for each connection. It needed no API key. A body that is being read may
 * arrive in any number of small chunks, because a slow connection delivers single bytes.
 */
export function limitPipelining(maxPending: number): PipeliningOptions {
  class LimitedRequest extends IncomingMessage {
    readonly isOverLimit: boolean;
    /**
     * The field is only declared. The constructor of the base class sets it through the setter
     * `upgrade`, and a real class field would reset it afterwards.
     */
    declare private asksForUpgrade: boolean;
    declare private [smallChunks]?: number;

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

    /** Node calls this method for each chunk of the body, and with `null` at the end. */
    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      if (chunk !== null && chunk.length < smallChunkBytes && this.readableFlowing !== true) {
        this[smallChunks] = (this[smallChunks] ?? 0) + 1;
        if (this[smallChunks] > maxSmallChunks) {
          this.destroy();
          return false;
        }
      }
      return super.push(chunk, encoding);
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
