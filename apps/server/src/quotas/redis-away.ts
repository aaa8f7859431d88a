/** The log line and the reason of `/readyz` while Redis is down. */
export const redisAway = 'Redis is away: this replica limits by its own share until it is back';
