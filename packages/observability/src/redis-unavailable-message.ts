/** The text for the log and for `/readyz` while Redis is unavailable. */
export const redisUnavailable =
  'Redis is unavailable: each replica counts requests alone, and admits an equal share of each limit';
