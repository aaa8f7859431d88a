/** What the public API says of itself, whom it trusts, and how much it takes on. */
export interface ApiSettings {
  /** The origin that links show; `undefined` for the address that the service listens on. */
  readonly publicUrl: string | undefined;
  /** The origin of the staging environment, for the reference; `undefined` if there is none. */
  readonly stagingOrigin: string | undefined;
  /** Origins whose pages may call; `undefined` for any. */
  readonly corsOrigins: ReadonlySet<string> | undefined;
  /** How many proxies in front of the service add to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** Requests answered at the same time; more wait. */
  readonly maxInFlight: number;
  /** How long requests wait for their turn before they get 503. */
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
