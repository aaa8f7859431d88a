/** Limits of one connection, and of all connections. */
export const defaultListenerLimits = {
  /** How often the time-outs of headers and requests are checked. */
  connectionsCheckingIntervalMs: 1_000,
  /** How long a caller may take to send the headers of a request, and the whole request. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /** How long a connection may be silent during a request, until its response is read. */
  stallTimeoutMs: 10_000,
  /** How long it may be silent between requests. Keep it above that of proxies, commonly 60 s. */
  keepAliveTimeoutMs: 65_000,
  /** How many requests of one connection may wait for their responses. */
  maxPipelinedRequests: 8,
  maxConnections: 5_000,
  /** How long a listener may take to close after a start that failed, and the operators' one always. */
  closeTimeoutMs: 500,
};

export type ListenerLimits = Readonly<typeof defaultListenerLimits>;

/** The public listener. The operators' one has the same limits. */
export interface HttpSettings extends ListenerLimits {
  readonly host: string;
  readonly port: number;
  /** 0 for no limit, as behind a proxy that makes all connections; `undefined` for a share of all. */
  readonly maxConnectionsPerNetwork: number | undefined;
}

export const defaultHttpSettings: HttpSettings = {
  ...defaultListenerLimits,
  host: '127.0.0.1',
  port: 3_000,
  maxConnectionsPerNetwork: undefined,
};
