/** The log message and the reason in `/readyz` while Redis is unavailable. */
export const redisUnavailable =
  'Redis is unavailable: this replica enforces its own share of each limit';
