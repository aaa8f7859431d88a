import { describeRedisCuts } from './redis-cut-suite.ts';

// `heavy/redis-cuts.heavy.test.ts` does it for longer.
describeRedisCuts({ times: 2, seed: 1 });
