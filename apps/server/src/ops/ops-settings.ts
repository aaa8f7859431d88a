import { defaultOpsPort } from '@animal-store/admin-contract';

/** The operators' listener. */
export interface OpsSettings {
  readonly host: string;
  readonly port: number;
  /** The names that it may be called by, besides IP addresses and localhost. */
  readonly hosts: readonly string[];
  /** Guards the admin API on `port`; without one there is none there. */
  readonly adminToken: string | undefined;
  /** How long the query may take by which probes check the database. */
  readonly databaseTimeoutMs: number;
  /** How long a stop waits for a scrape of what it has lost. Longer than the pause of Prometheus. */
  readonly lastScrapeMs: number;
  /** In which time a network may send ten wrong tokens. */
  readonly guessWindowSeconds: number;
  /** How long a connection waits for the answer to one guess of a token too many. */
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
