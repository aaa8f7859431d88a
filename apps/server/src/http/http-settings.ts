/** The default limits of one connection and of all connections. */
export const defaultListenerLimits = {
  /** How often the timeouts of headers and requests are checked. */
  connectionsCheckingIntervalMs: 1_000,
  /** How long a caller may take to send the headers of a request, and to send the whole request. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /**
   * How long a connection may be silent during a request, until the caller has read the response.
   */
  stallTimeoutMs: 10_000,
  /**
   * How long a connection may be silent between requests. Keep it above the timeout of proxies,
   * commonly 60 s.
   */
  keepAliveTimeoutMs: 65_000,
  /** How many requests of one connection may wait for their responses. */
  maxPipelinedRequests: 8,
  maxConnections: 5_000,
  /**
   * How long a listener may take to close after a failed start. The operators' listener always has
   * this limit.
   */
  closeTimeoutMs: 500,
};

export type ListenerLimits = Readonly<typeof defaultListenerLimits>;

/** Settings of the public listener. The operators' listener has the same limits. */
export interface HttpSettings extends ListenerLimits {
  readonly host: string;
  readonly port: number;
  /**
   * 0 for no limit, for example behind a proxy that opens all connections; `undefined` for a
   * quarter of all connections.
   */
  readonly maxConnectionsPerNetwork: number | undefined;
}

export const defaultHttpSettings: HttpSettings = {
  ...defaultListenerLimits,
  host: '127.0.0.1',
  port: 3_000,
  maxConnectionsPerNetwork: undefined,
};
