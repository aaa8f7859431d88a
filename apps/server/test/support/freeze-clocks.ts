import { type Server, until } from '@animal-store/testkit';

/** The environment of a server whose clocks {@link freezeClocks} can stop. */
export const freezableClocks = { NODE_OPTIONS: stopClocksAt('SIGUSR2') };

/** The option of Node that stops the clocks of a process at its first signal of a kind. */
export function stopClocksAt(signal: NodeJS.Signals): string {
  return `--import=${new URL(`freezable-clocks.ts?at=${signal}`, import.meta.url)}`;
}

/**
 * Stops the clocks of a server: no cache entry expires, and no quota window in memory ends.
 *
 * @returns the time of the wall clock, as Unix time in milliseconds. The `Date` header goes on.
 */
export async function freezeClocks(server: Server): Promise<number> {
  server.signal('SIGUSR2');
  const [, unixMs] = await until(() => /The clocks are frozen at (\d+)/.exec(server.output()));
  return Number(unixMs);
}
