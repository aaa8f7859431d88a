import type { RateLimiterRes } from 'rate-limiter-flexible';

declare module 'rate-limiter-flexible' {
  // The four methods that rate-limiter-flexible asks of a store; its types leave them out. `key` has the
  // limiter's `keyPrefix`, and `options` are those of `consume` and the other methods.
  interface RateLimiterRedis {
    /** @param forceExpire whether the points are set, as by `block` and `set`, instead of added. */
    _upsert(
      key: string,
      points: number,
      msDuration: number,
      forceExpire: boolean,
      options: { [name: string]: unknown },
    ): Promise<unknown>;
    _get(key: string, options: { [name: string]: unknown }): Promise<unknown>;
    _delete(key: string, options: { [name: string]: unknown }): Promise<boolean>;
    /** @param stored what `_upsert` or `_get` resolved with. */
    _getRateLimiterRes(key: string, changedPoints: number, stored: unknown): RateLimiterRes;
  }
}
