import { type Redis, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * The connector of ioredis for Sentinels, with two changes. ioredis opens a client for each Sentinel,
 * which listens for a failover, and offers no option to change these clients.
 *
 * - Each client has a listener for errors. Otherwise ioredis would print every failed attempt to
 *   connect to a Sentinel to stderr, between the lines of a log.
 * - Each client subscribes to failovers, however long its Sentinel was down. By default, ioredis
 *   drops the command `SUBSCRIBE` after 20 failed attempts. The client would later connect to the
 *   Sentinel, but not listen.
 */
export class FailoverConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
    // The method is private, so a subclass cannot declare it.
    const connect: (endpoint: unknown, options: unknown) => Redis = this['connectToSentinel'];
    this['connectToSentinel'] = (endpoint: unknown, more?: object) => {
      const client = connect.call(this, endpoint, { ...more, maxRetriesPerRequest: null });
      client.on('error', () => {});
      return client;
    };
  }
}
