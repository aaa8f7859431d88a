import { expect, test } from 'vitest';
import { normalBursts, playBurst } from './default-options.ts';

// `heavy/thousand-calls.heavy.test.ts` plays the others, and `heavy/default-options.heavy.test.ts` some of them
// in real time, against the real service.

test.each(normalBursts)(
  'a burst of $calls on $plan, $clients clients in $processes processes, $latencyMs ms away, trouble: $trouble',
  async (burst) => {
    expect.hasAssertions();
    await playBurst(burst);
  },
);
