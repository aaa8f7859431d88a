import { expect, test } from 'vitest';
import { heavyBursts, playBurst } from '../default-options.ts';

test.each(heavyBursts)(
  'a burst of $calls on $plan, $clients clients in $processes processes, $latencyMs ms away, trouble: $trouble',
  async (burst) => {
    expect.hasAssertions();
    await playBurst(burst);
  },
);
