import { defaultOpsPort } from '@animal-store/admin-contract';

/** Settings of the operators' listener. */
export interface OpsSettings {
  readonly host: string;
  readonly port: number;
  /** The host names that the listener accepts, besides IP addresses and localhost. */
  readonly hosts: readonly string[];
  /**
   * The token that protects the admin API on `port`. Without it, only tokens of operators are
   * accepted.
   */
  readonly adminToken: string | undefined;
  /** How long a probe's query to the database may take. */
  readonly databaseTimeoutMs: number;
  /**
   * How long shutting down waits for a scrape of what was lost. It must be longer than the scrape
   * interval of Prometheus.
   */
  readonly lastScrapeMs: number;
  /** The period in which a network may send ten wrong tokens. */
  readonly guessWindowSeconds: number;
  /** How long a connection waits for the response to each further wrong token. */
  readonly guessDelayMs: number;
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
};
