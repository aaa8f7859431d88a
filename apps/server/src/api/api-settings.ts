/** Settings of the public API. */
export interface ApiSettings {
  /**
   * The origin of links in responses. `undefined` means the address that the service listens on.
   */
  readonly publicUrl: string | undefined;
  /**
   * The origin of the staging environment, which the documentation shows. `undefined` means that
   * there is none.
   */
  readonly stagingOrigin: string | undefined;
  /** The origins of the web pages that may call the API. `undefined` means all origins. */
  readonly corsOrigins: ReadonlySet<string> | undefined;
  /** The number of proxies in front of the service that append to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /**
   * The largest number of requests that are handled at the same time. Further requests wait in a
   * queue.
   */
  readonly maxInFlight: number;
  /** The longest time that a request may wait in the queue before it gets 503. */
  readonly maxWaitMs: number;
}

export const defaultApiSettings: ApiSettings = {
  publicUrl: undefined,
  stagingOrigin: undefined,
  corsOrigins: undefined,
  trustedProxies: 0,
  maxInFlight: 5_000,
  maxWaitMs: 250,
};
