// This program runs a campaign: a test that is random, long, or needs large programs. `npm test`
// contains a short version of most campaigns.
//
//     npm run campaign -- wire --seed 7 --minutes 30
//     npm run campaign -- update --from 119afc8
//
// The program prints its seed. Its exit code is 1 if the campaign finds a fault.

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from '@animal-store/testkit';
import { rooms } from './mutation/rooms.ts';

type Campaign = {
  readonly run: (options: {
    seed: number;
    minutes: number;
    from?: string | undefined;
  }) => Promise<void>;
};

const programs: Readonly<Record<string, () => Promise<Campaign>>> = {
  'admin-times': () => import('./admin-times.ts'),
  api: () => import('./api.ts'),
  attacks: () => import('./attacks.ts'),
  clients: () => import('./clients.ts'),
  fairness: () => import('./fairness.ts'),
  interleavings: () => import('./interleavings.ts'),
  'operator-load': () => import('./operator-load.ts'),
  'ops-floods': () => import('./ops-floods.ts'),
  soak: () => import('./soak.ts'),
  stops: () => import('./stops.ts'),
  update: () => import('./update.ts'),
  wire: () => import('./wire.ts'),
};

/**
 * The campaigns whose code is a test file. Some of these campaigns test the packages with other
 * runtimes and compilers.
 */
const suites = globSync('{apps/*,packages/*,examples}/test/campaigns/*.test.ts', {
  cwd: repository,
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    minutes: { type: 'string', default: '1' },
    from: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [name = ''] = positionals;
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
const suite = suites.find((file) => basename(file, '.test.ts') === name);
const isKnown = suite !== undefined || name === 'mutation' || Object.hasOwn(programs, name);
if (values.help || !isKnown || !Number.isSafeInteger(seed) || !(minutes > 0)) {
  const names = suites.map((file) => basename(file, '.test.ts'));
  const all = [...names, ...Object.keys(programs), 'mutation'].sort().join(' | ');
  process.stderr.write(`Usage: npm run campaign -- <${all}> [--seed N] [--minutes M]\n`);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.stdout.write(`Campaign ${name}, seed ${seed}, ${minutes} min\n`);
  if (suite !== undefined) {
    runCommand('node_modules/.bin/vitest', ['run', '--mode', 'campaigns', suite]);
  } else if (name === 'mutation') {
    for (const name of ['admin-contract', 'client', 'contract', 'http-server', 'quotas'])
      runCommand('npm', ['run', '--prefix', `packages/${name}`, 'mutate']);
    for (const room of Object.keys(rooms)) {
      const mutate = ['mutate', '--', '--mutate', `src/${room}/*.ts,!src/**/*.test.ts`];
      runCommand('npm', ['run', '--prefix', 'apps/server', ...mutate], { MUTATION_ROOM: room });
    }
  } else {
    await (await programs[name]?.())?.run({ seed, minutes, from: values.from });
  }
}

function runCommand(
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): void {
  const own = { ...variables, CAMPAIGN_SEED: `${seed}`, CAMPAIGN_MINUTES: `${minutes}` };
  // biome-ignore lint/style/noProcessEnv: vitest and npm look for programs where this machine has them
  const env = { ...process.env, ...own };
  const { status } = spawnSync(command, args, { cwd: repository, stdio: 'inherit', env });
  if (status !== 0) process.exitCode = 1;
}
