// Runs a campaign: something random or long, which `npm test` has a short representative of.
//
//   npm run campaign -- wire --seed 7 --minutes 30
//
// It prints its seed, and the exit code is 1 if it finds a fault.

import { parseArgs } from 'node:util';

type Campaign = {
  readonly run: (options: { seed: number; minutes: number }) => Promise<void>;
};

const campaigns: Readonly<Record<string, () => Promise<Campaign>>> = {
  api: () => import('./api.ts'),
  attacks: () => import('./attacks.ts'),
  clients: () => import('./clients.ts'),
  quotas: () => import('./many-quota-sequences.ts'),
  'redis-cuts': () => import('./many-redis-cuts.ts'),
  wire: () => import('./wire.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    minutes: { type: 'string', default: '1' },
  },
});
const [name = ''] = positionals;
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
const load = Object.hasOwn(campaigns, name) ? campaigns[name] : undefined;
if (load === undefined || !Number.isSafeInteger(seed) || !(minutes > 0)) {
  process.stderr.write(
    `Usage: npm run campaign -- <${Object.keys(campaigns).join(' | ')}> [--seed N] [--minutes M]\n`,
  );
  process.exitCode = 2;
} else {
  process.stdout.write(`Campaign ${name}, seed ${seed}, ${minutes} min\n`);
  await (await load()).run({ seed, minutes });
}
