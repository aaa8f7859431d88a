import { type Clock, systemClock } from './clock.ts';
import { waitAtMost } from './wait-at-most.ts';

/** The longest accepted round trip. A longer one would make the result too inaccurate. */
const maxRoundTripMs = 1_000;

/**
 * Measures by how many milliseconds the clock of this process is ahead of the clock of another
 * program. A negative result means that the clock of this process is behind.
 *
 * The other program reads its clock at an unknown moment between the request and its response. The
 * function assumes the moment in the middle, so the error is at most half of the round trip.
 *
 * @param readTime asks the other program for its Unix time in milliseconds.
 * @param clock the clock to compare, which also measures the round trip.
 * @returns the difference, or `undefined` if `readTime` fails or takes longer than a second.
 */
export async function measureClockDifference(
  readTime: () => Promise<number>,
  clock: Clock = systemClock,
): Promise<number | undefined> {
  const startedAt = clock.elapsed();
  async function measure(): Promise<number> {
    const timeMs = await readTime();
    const roundTripMs = clock.elapsed() - startedAt;
    return clock.now() - roundTripMs / 2 - timeMs;
  }
  const limit = { ms: maxRoundTripMs, clock };
  try {
    return await waitAtMost<number | undefined>(limit, measure(), () => undefined);
  } catch {
    return undefined;
  }
}
