/** The text for the log and for `/readyz` while Redis is unavailable. */
export const redisUnavailable =
  'Redis is unavailable: this replica enforces its own share of each limit';
