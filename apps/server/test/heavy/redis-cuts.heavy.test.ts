import { describeRedisCuts } from '../redis/redis-cut-suite.ts';

// `redis-cuts.test.ts` has another seed.
describeRedisCuts({ times: 15, seed: 2 });
