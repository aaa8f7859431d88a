import { type Redis, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';
import { type ConnectionError, closedMessage } from './connection-error.ts';

/**
 * The connector of ioredis for Sentinels, with three changes. ioredis opens a client for each Sentinel,
 * which listens for a failover, and offers no option to change these clients.
 *
 * - Each client has a listener for errors. Otherwise ioredis would print every failed attempt to
 *   connect to a Sentinel to stderr, between the lines of a log.
 * - Each client subscribes to failovers, however long its Sentinel was down. By default, ioredis
 *   drops the command `SUBSCRIBE` after 20 failed attempts. The client would later connect to the
 *   Sentinel, but not listen.
 * - The error about unreachable Sentinels contains the reason, such as a refused connection or
 *   certificate. By default, it only says that a connection is closed.
 */
export class FailoverConnector extends SentinelConnector {
  /** The last error of the connection to a Sentinel. */
  #reason: ConnectionError | undefined;

  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
    // The method is private, so a subclass cannot declare it.
    const connect: (endpoint: unknown, options: unknown) => Redis = this['connectToSentinel'];
    this['connectToSentinel'] = (endpoint: unknown, more?: object) => {
      const client = connect.call(this, endpoint, { ...more, maxRetriesPerRequest: null });
      client.on('error', (error: ConnectionError) => {
        this.#reason = error;
      });
      return client;
    };
  }

  override connect(emit: Parameters<SentinelConnector['connect']>[0]) {
    this.#reason = undefined;
    return super.connect((type, error) => {
      const reason = this.#reason;
      const isReasonHidden = type === 'error' && error.message.endsWith(closedMessage);
      if (reason === undefined || !isReasonHidden) return emit(type, error);
      const message = error.message.slice(0, -closedMessage.length) + reason.message;
      return emit(type, Object.assign(new Error(message), { code: reason.code }));
    });
  }
}
