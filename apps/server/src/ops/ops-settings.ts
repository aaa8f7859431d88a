import { defaultOpsPort } from '@animal-store/admin-contract';

/** Settings of the ops listener. */
export interface OpsSettings {
  readonly host: string;
  readonly port: number;
  /** The host names that the listener accepts, in addition to IP addresses and localhost. */
  readonly hosts: readonly string[];
  /**
   * The token for the admin API with the permissions of an owner. Without this setting, only the
   * tokens of operators are accepted.
   */
  readonly adminToken: string | undefined;
  /** The longest time that the database query of a health check may take. */
  readonly databaseTimeoutMs: number;
  /**
   * The longest time that a shutdown waits for a last scrape of the metrics, so that lost requests
   * become visible. The time must be longer than the scrape interval of Prometheus. Otherwise the
   * process may exit before the last scrape.
   */
  readonly lastScrapeMs: number;
  /** The length in seconds of the period in which a network may send ten wrong tokens. */
  readonly guessWindowSeconds: number;
  /** The delay of each response to a wrong token after the network has sent ten wrong tokens. */
  readonly guessDelayMs: number;
  /**
   * The number of admin requests that may start per second. A list of 100 API keys blocks the event
   * loop for about 2 ms. So 100 lists per second block it for at most a fifth of the time, and
   * delay callers of the public API only during this time.
   */
  readonly adminRequestsPerSecond: number;
  /**
   * The number of requests outside the admin API that may start per second: health checks, scrapes,
   * and files of the console. A `/readyz` takes about 0.3 ms of CPU time.
   */
  readonly otherRequestsPerSecond: number;
}

export const defaultOpsSettings: OpsSettings = {
  host: '127.0.0.1',
  port: defaultOpsPort,
  hosts: [],
  adminToken: undefined,
  databaseTimeoutMs: 1_000,
  lastScrapeMs: 20_000,
  guessWindowSeconds: 60,
  guessDelayMs: 1_000,
  adminRequestsPerSecond: 100,
  otherRequestsPerSecond: 500,
};
