import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type RequestType = typeof IncomingMessage;
type ResponseType = typeof ServerResponse<IncomingMessage>;

/**
 * The property of a socket that counts its unanswered requests. A WeakMap of all sockets would be
 * slower.
 */
const pending = Symbol('pending');
/** The property of a socket that contains the response to its newest unanswered request. */
const newest = Symbol('newest response');
type CountedSocket = Socket & { [pending]?: number; [newest]?: ServerResponse | undefined };

/** The length in bytes below which a chunk of a body counts as small. */
const smallChunkBytes = 256;

/** The size in bytes of the buffer into which a request copies its small chunks. */
const gatheredBytes = 4_096;

/**
 * The property in which a request keeps small chunks of its body, until `pushGathered` passes them
 * on to Node's stream. The property is `undefined` while the request keeps no small chunks.
 */
const gathered = Symbol('gathered chunks');
type GatheredChunks = { readonly buffer: Buffer; length: number };

function countPending(socket: CountedSocket, change: 1 | -1): void {
  socket[pending] = (socket[pending] ?? 0) + change;
}

function leaveQueue(this: ServerResponse): void {
  const socket: CountedSocket = this.req.socket;
  countPending(socket, -1);
  // An idle connection does not keep its last response in memory.
  if (socket[newest] === this) socket[newest] = undefined;
}

/**
 * Returns the response to the newest unanswered request of a connection, which is the last response
 * that the connection sends. Returns `undefined` if the connection is idle.
 */
export const newestResponse = (socket: Socket): ServerResponse | undefined =>
  (socket as CountedSocket)[newest];

/**
 * The options of `createServer` that limit pipelining, and the memory that small chunks use.
 */
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
 * The options also prevent another attack: Node creates an object of 500 bytes for each chunk of a
 * body. Node stops reading after a certain number of bytes in the chunks, but does not count these
 * objects. In tests, a body in chunks of one byte filled 11 MB for each connection, and the sender
 * needed no API key. So a request copies small chunks into one buffer until somebody reads the
 * body. The server does not close a connection that sends small chunks, because some programs send
 * JSON in this way.
 */
export function limitPipelining(maxPending: number): PipeliningOptions {
  class LimitedRequest extends IncomingMessage {
    readonly isOverLimit: boolean;
    /**
     * The field is declared without a value. The constructor of the base class sets it through the
     * setter `upgrade`. A class field with a value would overwrite it after this constructor has
     * returned.
     */
    declare private asksForUpgrade: boolean;
    declare private [gathered]?: GatheredChunks | undefined;

    constructor(socket: Socket) {
      super(socket);
      this.isOverLimit = ((socket as CountedSocket)[pending] ?? 0) >= maxPending;
    }

    /**
     * Tells Node whether the request asks for an upgrade. Node calls `shouldUpgradeCallback` only
     * if the result is true.
     */
    get upgrade(): boolean {
      return this.isOverLimit || this.asksForUpgrade;
    }

    set upgrade(asked: boolean) {
      this.asksForUpgrade = asked;
    }

    /** Node calls this method for each chunk of the body, and with `null` at its end. */
    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      // The first chunk is not copied, because most small bodies have only one chunk. Chunks are
      // copied only until somebody reads the body: `readableFlowing` is `null` until then.
      const isFollowing = this.readableLength > 0 && this.readableFlowing === null;
      if (chunk === null || chunk.length >= smallChunkBytes || !isFollowing) {
        this.pushGathered();
        return super.push(chunk, encoding);
      }
      if ((this[gathered]?.length ?? 0) + chunk.length > gatheredBytes) this.pushGathered();
      this[gathered] ??= { buffer: Buffer.allocUnsafeSlow(gatheredBytes), length: 0 };
      this[gathered].length += chunk.copy(this[gathered].buffer, this[gathered].length);
      return this.readableLength + this[gathered].length < this.readableHighWaterMark;
    }

    /** Node calls this method when somebody reads the body. */
    override _read(size: number): void {
      this.pushGathered();
      super._read(size);
    }

    private pushGathered(): void {
      if (this[gathered] === undefined) return;
      const { buffer, length } = this[gathered];
      this[gathered] = undefined;
      super.push(buffer.subarray(0, length));
    }
  }

  class CountedResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    constructor(...construction: ConstructorParameters<typeof ServerResponse<Request>>) {
      super(...construction);
      const socket: CountedSocket = this.req.socket;
      countPending(socket, 1);
      socket[newest] = this;
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
