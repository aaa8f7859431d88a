import { readFileSync } from 'node:fs';
import type { ClientContext, Result } from 'ioredis';

declare module 'ioredis' {
  // ioredis adds a method for each script of its `scripts` option.
  interface RedisCommander<Context extends ClientContext> {
    /** Runs `decide.lua`. */
    decideKeys(numberOfKeys: number, ...args: string[]): Result<string, Context>;
    /** Runs `set-ban.lua`. */
    setBan(name: string, ban: Buffer, ttlMs: number): Result<null, Context>;
  }
}

/** Reads the Lua scripts: what ioredis's option `scripts` expects. */
export function readScripts() {
  return {
    decideKeys: { lua: read('decide.lua') },
    setBan: { lua: read('set-ban.lua'), numberOfKeys: 1 },
  };
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
