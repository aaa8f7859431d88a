import { expect, test } from 'vitest';
import { normalBursts, playBurst } from './default-options.ts';

// The campaign `thousand-calls` plays the others, and `bursts-in-real-time` some of them in real time, against the real service.

test.each(normalBursts)(
  'a burst of $calls on $plan, $clients clients in $processes processes, $latencyMs ms away, trouble: $trouble',
  async (burst) => {
    expect.hasAssertions();
    await playBurst(burst);
  },
);
