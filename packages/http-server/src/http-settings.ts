/** The default limits of one connection and of all connections. */
export const defaultListenerLimits = {
  /** The interval at which Node checks the timeouts of headers and requests. */
  connectionsCheckingIntervalMs: 1_000,
  /**
   * The longest time in which a caller must send the headers of a request, and the longest time for
   * the whole request.
   */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /**
   * The longest time without any data on a connection while a request is open. A request is open
   * until the caller has read the response.
   */
  stallTimeoutMs: 10_000,
  /**
   * The longest time that an idle connection stays open between requests. The time must be longer
   * than the idle timeout of a proxy in front of the service (usually 60 s). Otherwise the proxy
   * may send a request on a connection that the service is just closing.
   */
  keepAliveTimeoutMs: 65_000,
  /** The number of requests of one connection that may wait for their responses. */
  maxPipelinedRequests: 8,
  maxConnections: 5_000,
  /**
   * How long a listener that closes accepts connections that the kernel has queued, and then waits
   * for the first request of a new connection. The request usually arrives within a round trip.
   */
  firstRequestMs: 500,
  /**
   * The longest time for closing a listener after a failed start. The ops listener also gets this
   * time at every shutdown.
   */
  closeTimeoutMs: 500,
};

export type ListenerLimits = Readonly<typeof defaultListenerLimits>;

/** Settings of the public listener. The ops listener has the same limits. */
export interface HttpSettings extends ListenerLimits {
  readonly host: string;
  readonly port: number;
  /**
   * The number of connections that one network may open. 0 means no limit, for example behind a
   * proxy that opens all connections. `undefined` means a quarter of all connections.
   */
  readonly maxConnectionsPerNetwork: number | undefined;
}

export const defaultHttpSettings: HttpSettings = {
  ...defaultListenerLimits,
  host: '127.0.0.1',
  port: 3_000,
  maxConnectionsPerNetwork: undefined,
};
