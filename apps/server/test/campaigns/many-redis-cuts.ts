import { harmfulCases, openRedisCuts } from '../redis/redis-cuts.ts';

/** Cuts connections to Redis at random messages. */
export async function run({ seed, minutes }: { seed: number; minutes: number }): Promise<void> {
  await using cuts = await openRedisCuts({ seed });
  const endsAt = Date.now() + minutes * 60_000;
  while (Date.now() < endsAt) {
    for (const harmful of harmfulCases) await cuts.harmOne(harmful);
  }
}
