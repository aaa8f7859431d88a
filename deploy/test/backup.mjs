import { deepEqual, equal, ok } from 'node:assert/strict';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { openPostgres, until } from '../../packages/testkit/src/index.ts';
import { postgresUser } from '../../packages/testkit/src/postgres-binaries.ts';
import { ask, askAdmin, makeDirectory, repository, run, startReplica } from './steps.mjs';

/** The number of additional animals. They make the restore long enough to measure. */
const bulk = 100_000;

/**
 * Runs the commands of docs/operating.md, "Back up" and "Restore", with Debian's Postgres. It then
 * checks the restored data.
 */
export async function testBackup({ scope, freePort, say }) {
  const commands = readCommands();
  const owner = await postgresUser();
  const directory = await makeDirectory(scope);
  const paths = { BACKUP: join(directory, 'backup'), PGDATA: join(directory, 'restored') };
  for (const path of [directory, ...Object.values(paths), join(paths.BACKUP, 'wal')]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (owner) chownSync(path, owner.uid, owner.gid);
  }
  const bin = binariesOfDebian();
  const sh = (script, env) =>
    run('sh', ['-euc', script], {
      ...owner,
      cwd: directory,
      env: { ...process.env, ...paths, ...env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    });
  const query = async (url, sql) =>
    (await sh(`psql --no-psqlrc -Atc "${sql}" "${url}"`)).stdout.trim();

  // The test uses Debian's Postgres, because Debian's pg_dump and pg_basebackup refuse to work with
  // a newer server.
  const debian = { directory: join(bin, '..'), storage: 'disk' };
  const archive = `archive_command=test ! -f ${paths.BACKUP}/wal/%f && cp %p ${paths.BACKUP}/wal/%f`;
  // A restored server refuses to start if it allows fewer connections than the original server. The
  // restored server has Postgres's default, so the original server gets this default, too.
  const defaults = 'max_connections=100';
  const postgres = scope.use(
    await openPostgres({ ...debian, settings: ['archive_mode=on', archive, defaults] }),
  );
  const { url } = await postgres.createDatabase();
  const server = await startReplica(scope, { DATABASE_URL: url });
  const { token } = await askAdmin(server, '/keys', { name: 'drill', plan: 'business' });
  const create = async ({ baseUrl }) =>
    (await ask(`${baseUrl}/pets`, token, { name: 'Kept', categoryId: 1 })).json();
  await query(
    url,
    `insert into pets (name, category_id) select 'Rex ' || i, 7 from generate_series(1, ${bulk}) i`,
  );

  const early = await create(server);
  await sh(commands.base, { DATABASE_URL: url });
  await sh(commands.dump, { DATABASE_URL: url });
  const late = await create(server);
  const segment = await query(url, 'select pg_walfile_name(pg_current_wal_lsn())');
  // In production, `archive_timeout` switches to the next WAL file after a minute. The test calls
  // `pg_switch_wal`, so that it does not have to wait.
  await query(url, 'select pg_switch_wal()');
  await until(() => existsSync(join(paths.BACKUP, 'wal', segment)));
  const lost = await create(server);
  await server.stop();
  await postgres.kill();

  async function check(what, restored, kept, startedAt) {
    const again = await startReplica(scope, { DATABASE_URL: restored });
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    equal(await query(restored, 'select count(*) from pets'), String(bulk + kept.length));
    for (const pet of [early, late, lost]) {
      const answer = await ask(`${again.baseUrl}/pets/${pet.id}`, token);
      if (kept.includes(pet)) deepEqual(await answer.json(), pet);
      else equal(answer.status, 404);
    }
    const next = await create(again);
    ok(
      next.id > lost.id,
      `The id ${next.id} was assigned again: ids up to ${lost.id} were already assigned.`,
    );
    await again.stop();
    say(`${what}: the service worked after ${seconds} s, and no id was assigned again`);
  }

  const other = scope.use(await openPostgres(debian));
  const empty = (await other.createDatabase()).url;
  let startedAt = performance.now();
  await sh(commands.loadDump, { DATABASE_URL: empty });
  await sh(commands.setIdsAhead, { DATABASE_URL: empty });
  await check('dump', empty, [early], startedAt);

  const PGPORT = String(await freePort());
  const restored = Object.assign(new URL(url), { port: PGPORT }).href;
  scope.defer(() => sh('pg_ctl --pgdata="$PGDATA" --mode=immediate stop').catch(() => {}));
  startedAt = performance.now();
  await sh(commands.replay, { DATABASE_URL: restored, PGPORT });
  await sh(commands.setIdsAhead, { DATABASE_URL: restored });
  await check('base backup and log', restored, [early, late], startedAt);
}

/** Reads the backup commands from docs/operating.md. */
function readCommands() {
  const text = readFileSync(join(repository, 'docs/operating.md'), 'utf8');
  const [, section] = /\n## Back up\n(.*)\n# What it runs with\n/s.exec(text);
  const blocks = [...section.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent, script]) => script.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  equal(blocks.length, 5);
  const [base, dump, replay, loadDump, setIdsAhead] = blocks;
  return { base, dump, replay, loadDump, setIdsAhead };
}

/** Returns the program directory of the newest Postgres among Debian's packages. */
function binariesOfDebian() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).map(Number).filter(Boolean) : [];
  const bin = join(root, String(Math.max(...versions)), 'bin');
  ok(
    existsSync(join(bin, 'pg_ctl')),
    'There is no Postgres server. Run apt-get install postgresql.',
  );
  return bin;
}
