import { type Redis, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * The connector of ioredis for Sentinels, with other clients for the Sentinels. Callers of ioredis
 * cannot reach these clients, which listen for a failover.
 *
 * - Each client has a listener for errors. Otherwise ioredis would print every failed attempt to
 *   connect to a Sentinel to stderr, between the lines of a log.
 * - Each client subscribes to failovers however long its Sentinel was down. By default, ioredis
 *   drops the command after 20 failed attempts. It would then connect to the Sentinel, but not
 *   listen.
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
