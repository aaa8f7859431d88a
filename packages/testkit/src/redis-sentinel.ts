import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { openRedis, type Redis } from './redis.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { until } from './until.ts';

const name = 'mymaster';
/** The number of Sentinels that must agree that the primary is down. There are three Sentinels. */
const quorum = 2;

/**
 * Starts a Redis primary, a Redis replica, and three Sentinels. The Sentinels promote the replica
 * if they lose the primary. Waits until the Sentinels know each other and the replica.
 */
export async function openRedisSentinels() {
  await using opened = new AsyncDisposableStack();
  const primary = opened.use(await openRedis({ args: ['--repl-diskless-sync-delay', '0'] }));
  const replica = opened.use(
    await openRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port)] }),
  );
  // The replica must be connected before the Sentinels start, because they read the list of
  // replicas only every ten seconds.
  await until(async () => (await primary.command('info', 'replication')).includes('state=online'));
  const directory = opened.use(await temporaryDirectory());
  const settings = [
    `sentinel monitor ${name} 127.0.0.1 ${primary.port} ${quorum}`,
    `sentinel down-after-milliseconds ${name} 2000`,
    // The `failover-timeout` is short, because Sentinels that cannot agree on a leader try again
    // only after twice this time. The default is three minutes.
    `sentinel failover-timeout ${name} 2000`,
  ];
  // The configuration tells each Sentinel about the other Sentinels. Otherwise each Sentinel would
  // wait two seconds before it announces itself.
  const all = await Promise.all(
    [1, 2, 3].map(async () => ({ port: await freePort(), id: randomBytes(20).toString('hex') })),
  );
  const sentinels: Redis[] = [];
  for (const { port, id } of all) {
    // A Sentinel stores its state in its configuration file, so each needs its own file.
    const sentinelConfig = join(directory.path, `sentinel-${port}.conf`);
    const others = all
      .filter((other) => other.id !== id)
      .map((other) => `sentinel known-sentinel ${name} 127.0.0.1 ${other.port} ${other.id}`);
    const lines = [`sentinel myid ${id}`, ...settings, ...others];
    await writeFile(sentinelConfig, `${lines.join('\n')}\n`);
    sentinels.push(opened.use(await openRedis({ args: [sentinelConfig, '--sentinel'], port })));
  }
  for (const sentinel of sentinels) {
    await until(async () => {
      const state = (await sentinel.command('sentinel', 'master', name)).split('\n');
      const read = (field: string) => state[state.indexOf(field) + 1];
      return read('num-slaves') === '1' && read('num-other-sentinels') === '2';
    });
  }
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`);
  const kept = opened.move();
  return {
    /** The URL with the addresses of all three Sentinels. */
    url: `redis+sentinel://${hosts.join(',')}/${name}`,
    primary,
    replica,
    sentinels,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
