import { type Server, until } from '@animal-store/testkit';

/** The environment of a server whose clock {@link freezeClock} can stop. */
export const freezableClock = {
  NODE_OPTIONS: `--import=${new URL('freezable-clock.ts', import.meta.url)}`,
};

/** Stops the monotonic clock of a server: from now on, no entry of a cache expires. */
export async function freezeClock(server: Server): Promise<void> {
  server.signal('SIGUSR2');
  await until(() => server.output().includes('The clock is frozen.'));
}
