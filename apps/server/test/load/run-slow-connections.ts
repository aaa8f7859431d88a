// Measures what 1,000 slow connections cost honest callers, by slowhttptest (Debian's package of that
// name), against a server with its default time-outs:
//
//   node test/load/run-slow-connections.ts [--connections 1000] [--rounds 5] [--seconds 6]
//
// Each round measures in turn without them and with them, on one server, so that what else the machine
// does falls on both. Ends with exit code 1 if the honest callers' p99 more than doubles, or one of
// their requests fails.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { until } from '@animal-store/testkit';
import { scrape } from '../support/observed.ts';
import { send } from '../support/send.ts';
import { percentile } from './percentile.ts';
import { startWithStores } from './start-with-stores.ts';

const { values } = parseArgs({
  // pnpm passes on the "--" that may stand before them.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    connections: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
  },
});
const connections = Number(values.connections);
const measureMs = Number(values.seconds) * 1_000;

/** What the honest callers' p99 may be, as a multiple of what it is without slow connections. */
const mayBe = 2;

/** Honest callers, each with a connection of its own, and how long they wait between requests. */
const callers = 8;
const paceMs = 20;

if (spawnSync('slowhttptest', ['-h']).error !== undefined) {
  process.stderr.write('slowhttptest is not here: apt-get install slowhttptest\n');
  process.exit(1);
}

await using loaded = await startWithStores({
  LOG_LEVEL: 'warn',
  ADDRESS_PER_MINUTE: '1000000',
  MAX_CONNECTIONS_PER_NETWORK: '0',
});
const { server, token } = loaded;
const authorization = { Authorization: `Bearer ${token}` };
for (let i = 0; i < 20; i += 1) {
  const headers = { ...authorization, 'Content-Type': 'application/json' };
  const body = `{"name":"Animal ${i}","categoryId":1}`;
  await send(server.baseUrl, { method: 'POST', target: '/pets', headers, body });
}

// Megabytes, more than the buffers between the two hold.
const page = await (await fetch(`${server.origin}/docs/api`)).text();
const [, script = ''] = /"(\/docs\/scalar[^"]*)"/.exec(page) ?? [];

/** One option more: slowhttptest lets callers add cookies, and no other header. */
const withKey = `a=b\r\nAuthorization: Bearer ${token}`;

const attacks: Readonly<Record<string, readonly string[]>> = {
  'slow headers': ['-H', '-u', `${server.baseUrl}/pets`, '-i', '2', '-x', '24'],
  'slow body': [
    ...['-B', '-u', `${server.baseUrl}/pets`, '-i', '2', '-x', '24', '-s', '8192'],
    ...['-f', 'application/json', '-j', withKey],
  ],
  'slow read': [
    ...['-X', '-u', server.origin + script, '-w', '10', '-y', '20', '-n', '2', '-z', '32'],
  ],
};

/** How many connections the server has; a scrape is one itself. */
async function openConnections(): Promise<number> {
  const metrics = await scrape(server);
  const pattern = /^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)$/m;
  return Number(pattern.exec(metrics)?.[1] ?? 0);
}

/** Opens the slow connections, and waits until nearly all of them are there. */
async function attack(options: readonly string[]): Promise<ChildProcess> {
  const many = String(connections);
  // Nice, because whoever attacks brings cores of his own; this one keeps one busy with slow reads.
  const child = spawn(
    'nice',
    ['-n', '19', 'slowhttptest', '-c', many, '-r', many, '-l', '60', ...options],
    { stdio: 'ignore' },
  );
  await until(async () => (await openConnections()) > connections * 0.99);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  await until(async () => (await openConnections()) < connections / 20);
}

/** How long each answer took, in milliseconds; of a request that failed, for ever. */
async function measure(): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const taken: number[] = [];
  const endsAt = performance.now() + measureMs;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < endsAt) {
        const startedAt = performance.now();
        const sent = { method: 'GET', target: '/pets', headers: authorization };
        const answer = await send(server.baseUrl, sent, agent).catch(() => undefined);
        const isGood = answer?.status === 200;
        taken.push(isGood ? performance.now() - startedAt : Number.POSITIVE_INFINITY);
        await pause(paceMs);
      }
    }),
  );
  agent.destroy();
  return taken;
}

const without: number[][] = [];
const withAttack = new Map(Object.keys(attacks).map((name) => [name, [] as number[][]]));
await measure();
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [name, options] of Object.entries(attacks)) {
    without.push(await measure());
    const child = await attack(options);
    withAttack.get(name)?.push(await measure());
    const left = await openConnections();
    await end(child);
    process.stdout.write(`round ${round + 1}, ${name}: ${left} connections at its end\n`);
  }
}

function say(name: string, taken: readonly number[], p99: number): void {
  const failed = taken.filter((ms) => ms === Number.POSITIVE_INFINITY).length;
  const answers = taken.length - failed;
  process.stdout.write(`${name}: ${answers} answers, ${failed} failures, p99 ${p99.toFixed(1)} ms`);
  // A few are too few to show in a percentile.
  if (failed > 0) process.exitCode = 1;
}
const baseline = percentile(without.flat(), 0.99);
say('without slow connections', without.flat(), baseline);
for (const [name, runs] of withAttack) {
  const p99 = percentile(runs.flat(), 0.99);
  const ratio = p99 / baseline;
  process.stdout.write('\n');
  say(`with ${connections} of ${name}`, runs.flat(), p99);
  process.stdout.write(`, ${ratio.toFixed(2)} times that`);
  if (!(ratio <= mayBe)) process.exitCode = 1;
}
process.stdout.write('\n');
