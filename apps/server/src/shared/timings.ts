/**
 * The intervals, time-outs and lifetimes of the service that no setting changes. Tests give others.
 * Those that operators set, such as the time between flushes of usage, are in `config.ts`. What callers and
 * operators are promised is in the contract: `rate-limit.ts`, `ban-policy.ts`, and `admin-session.ts`,
 * `admin-rotation.ts` and `admin-audit.ts` in its folder `admin`.
 */
export const defaultTimings = {
  quotas: {
    /** How often Redis is tried while the breaker is open. */
    probeEveryMs: 250,
    /** How long a connection to Redis may take to be ready before a new one is tried. */
    connectTimeoutMs: 1_000,
    /** How long a start waits for Redis before it continues without it. */
    firstConnectionTimeoutMs: 1_000,
  },
  audit: {
    /** How often starts of bans are written. */
    writeMs: 1_000,
    /** How often old entries, and bans that are over, are looked for. */
    deleteMs: 3_600_000,
    /** How long a stop waits for the last bans. A database that is up takes milliseconds. */
    closeTimeoutMs: 3_000,
  },
  usage: {
    /** How long a stop waits for the last flush. A database that is up takes milliseconds. */
    closeTimeoutMs: 3_000,
    /** How often old counts are looked for. */
    deleteExpiredMs: 15 * 60_000,
    /**
     * How long a flush is tried. Shorter than flushes are known: one whose first try was committed without
     * an answer would be counted again.
     */
    giveUpAfterMs: 12 * 3_600_000,
    /**
     * How long it is known that a flush was written. Longer than replicas try to write one: if the first try
     * was committed without an answer, the next one must find it.
     */
    keepFlushesMs: 24 * 3_600_000,
  },
  database: {
    /** How long it may take to connect. */
    connectSeconds: 5,
    /** How long a connection may be idle. Short, so that a silent one is soon known to be dead and not idle. */
    idleSeconds: 5,
    /** How long Postgres works on a statement. */
    statementSeconds: 5,
    /** How long Postgres works on a statement of an operator, such as a search. */
    operatorSeconds: 2,
    /**
     * How long a statement may take, including its wait for a connection. Longer than Postgres's own limit,
     * which also stops the work. This one is for a Postgres that does not answer at all, for which the driver
     * would wait forever.
     */
    answerWithinMs: 6_000,
    /** How long a stop waits for statements. Their callers have been answered or disconnected by then. */
    closeSeconds: 0.25,
    /** How often silent connections are looked for. */
    checkSocketsMs: 100,
    /**
     * How often a heartbeat is sent on a channel, and how long none may arrive. TCP's own keep-alive takes
     * longer, and only reaches the next proxy.
     */
    heartbeatMs: 2_000,
    heartbeatLostMs: 5_000,
    /** How long one host may take to accept a connection and to answer, when a writable one is looked for. */
    searchSeconds: 2,
    /** The pause between two searches. It varies by half, so that replicas spread. */
    searchPauseMs: 250,
    /** How often a start looks for a Postgres that is away. */
    startPauseMs: 500,
    /** How often a replica asks for the lock that another one migrates under. */
    lockPauseMs: 200,
    /**
     * How long a migration waits for a lock of a table. Whoever needs the table waits behind it, also to read:
     * replicas of the version before look up keys in it.
     */
    tableLockTimeoutMs: 200,
    /** The pause before the next attempt, in which others are served. */
    migrationPauseMs: 2_000,
    /** How often a replica looks whether an outage is over. */
    probeEveryMs: 1_000,
  },
  keys: {
    /** How long a cached key is used without asking again, if no change is announced. */
    freshMs: 30_000,
    /** How long an unknown token is cached. Short, because a new key must work soon. */
    unknownFreshMs: 2_000,
    /** How long a cached key stays valid while the database is down. */
    staleMs: 300_000,
    /** How long a database that is down is not asked again about the same key. */
    retryMs: 1_000,
  },
  http: {
    /** How often the time-outs of headers and requests are checked. */
    connectionsCheckingIntervalMs: 1_000,
    /** How long a listener may take to close after a start that failed, and the operators' one always. */
    closeTimeoutMs: 500,
  },
  ops: {
    /** How long a stop waits for a scrape of what it has lost. Longer than the pause of Prometheus. */
    lastScrapeMs: 20_000,
    /** In which time a network may send ten wrong tokens. */
    guessWindowSeconds: 60,
    /** How long a connection waits for the answer to one guess of a token too many. */
    guessDelayMs: 1_000,
  },
  overview: {
    /**
     * How long the numbers of active and suspended keys are good for. To count a million of them takes a
     * tenth of a second of two cores. With the pause between two questions of a page, they are at most 5 s old.
     */
    countedForMs: 2_500,
  },
  health: {
    /** How long the query that checks the database may take. */
    databaseTimeoutMs: 1_000,
  },
  observability: {
    /**
     * How long lines of the log are collected before they are written. Writing every 50 ms took 8 % of the
     * CPU time of a request at 1,000 requests a second: the system call, and waking the thread that does it.
     */
    logBatchMs: 250,
    /** How long a stop waits for a reader of the log that has stopped reading. */
    logCloseTimeoutMs: 1_000,
    /** How long a stop waits for the last spans to be taken. */
    traceFlushTimeoutMs: 2_000,
  },
  stop: {
    /** How long requests in flight may take to finish before their connections are cut. */
    drainMs: { SIGINT: 2_000, SIGTERM: 5_000 },
    /**
     * Ctrl-C in a terminal and systemd's SIGTERM go to the whole process group: the signal arrives directly,
     * and again from npm. Within this time the second one is the same signal.
     */
    sameSignalMs: 500,
    /** How often a stop looks whether the event loop is free. */
    checkMs: 50,
  },
  pets: {
    /** How often expired idempotency keys are deleted. */
    deleteExpiredMs: 3_600_000,
  },
};

/** {@link defaultTimings}, or other values. */
export type Timings = typeof defaultTimings;

export type SomeTimings = { readonly [Room in keyof Timings]?: Partial<Timings[Room]> };

export function completeTimings(some: SomeTimings = {}): Timings {
  const completed = Object.entries(defaultTimings).map(([room, its]) => {
    return [room, { ...its, ...some[room as keyof Timings] }];
  });
  return Object.fromEntries(completed) as Timings;
}
