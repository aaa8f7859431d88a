import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { openPostgres, startServer, temporaryDirectory } from '../../packages/testkit/src/index.ts';
import { adminToken, askAdmin, expect, repository, run, until } from './steps.mjs';

/** Animals beside those of the test, so that the time of a restore is that of something. */
const bulk = 100_000;

/**
 * The drill: runs the commands of docs/operating.md, "Back up" and "Restore", on Debian's Postgres, and looks
 * for what was there.
 */
export async function testBackup({ scope, freePort, say }) {
  const commands = readCommands();
  const owner = await ownerOfPostgres();
  const { path: directory } = scope.use(await temporaryDirectory());
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

  // pg_dump and pg_basebackup want a server that is not newer.
  const debian = { directory: join(bin, '..'), storage: 'disk' };
  const archive = `archive_command=test ! -f ${paths.BACKUP}/wal/%f && cp %p ${paths.BACKUP}/wal/%f`;
  // A restored server refuses to start with fewer than it had.
  const defaults = 'max_connections=100';
  const postgres = scope.use(
    await openPostgres({ ...debian, settings: ['archive_mode=on', archive, defaults] }),
  );
  const { url } = await postgres.createDatabase();
  const ask = (sql) => sh(`psql --no-psqlrc -Atc "${sql}" "${url}"`, {});
  const store = await openStore(scope, url);
  await ask(
    `insert into pets (name, category_id) select 'Rex ' || i, 7 from generate_series(1, ${bulk}) i`,
  );

  const early = await store.create(5);
  await sh(commands.base, { DATABASE_URL: url });
  await sh(commands.dump, { DATABASE_URL: url });
  const late = await store.create(3);
  const { stdout: segment } = await ask('select pg_walfile_name(pg_current_wal_lsn())');
  // As `archive_timeout` does after a minute.
  await ask('select pg_switch_wal()');
  const archived = join(paths.BACKUP, 'wal', segment.trim());
  await until(() => existsSync(archived), 'An archived segment of the log');
  const lost = await store.create(2);
  await store.stop();
  await postgres.kill();

  async function check(what, restored, { kept, gone }, startedAt) {
    const again = await openStore(scope, restored, store.token);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const { stdout } = await sh(`psql -Atc 'select count(*) from pets' "${restored}"`, {});
    const count = Number(stdout);
    expect(count === bulk + kept.length, `${what}: ${count} animals are there.`);
    for (const pet of kept) {
      const found = await again.find(pet.id);
      expect(JSON.stringify(found) === JSON.stringify(pet), `${what}: ${JSON.stringify(found)}`);
    }
    for (const { id } of gone) {
      expect((await again.find(id)) === undefined, `${what}: animal ${id} should be gone.`);
    }
    const [next] = await again.create(1);
    const highest = Math.max(...lost.map(({ id }) => id));
    expect(next.id > highest, `${what}: the id ${next.id} is given again; ${highest} was given.`);
    await again.stop();
    say(`${what}: ${count} animals, served after ${seconds} s; ${gone.length} lost, no id reused`);
  }

  const other = scope.use(await openPostgres(debian));
  const empty = (await other.createDatabase()).url;
  let startedAt = performance.now();
  await sh(commands.loadDump, { DATABASE_URL: empty });
  await sh(commands.setIdsAhead, { DATABASE_URL: empty });
  await check('dump', empty, { kept: early, gone: [...late, ...lost] }, startedAt);

  const port = await freePort();
  const restored = Object.assign(new URL(url), { port: String(port) }).href;
  scope.defer(() => sh('pg_ctl --pgdata="$PGDATA" --mode=immediate stop').catch(() => {}));
  startedAt = performance.now();
  await sh(commands.replay, { DATABASE_URL: restored, PGPORT: String(port) });
  await sh(commands.setIdsAhead, { DATABASE_URL: restored });
  const expected = { kept: [...early, ...late], gone: lost };
  await check('base backup and log', restored, expected, startedAt);
}

/** The commands that docs/operating.md shows. */
function readCommands() {
  const text = readFileSync(join(repository, 'docs/operating.md'), 'utf8');
  const section = text.slice(
    text.indexOf('\n## Back up\n'),
    text.indexOf('\n# What it runs with\n'),
  );
  const blocks = [...section.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent, script]) => script.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  expect(blocks.length === 5, `docs/operating.md shows ${blocks.length} blocks of commands.`);
  const [base, dump, replay, loadDump, setIdsAhead] = blocks;
  return { base, dump, replay, loadDump, setIdsAhead };
}

/** Where the newest Postgres of Debian's packages is. */
function binariesOfDebian() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).map(Number).filter(Boolean) : [];
  const bin = join(root, String(Math.max(...versions)), 'bin');
  expect(existsSync(join(bin, 'pg_ctl')), 'No Postgres server: apt-get install postgresql');
  return bin;
}

/** Postgres does not run as root. */
async function ownerOfPostgres() {
  if (process.getuid() !== 0) return undefined;
  const id = async (flag) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

/** Starts a replica, and makes a key unless there is one. */
async function openStore(scope, url, known) {
  const server = scope.use(
    await startServer({ env: { DATABASE_URL: url, ADMIN_TOKEN: adminToken } }),
  );
  const newKey = { name: 'drill', plan: 'business' };
  const token = known ?? (await askAdmin(server, 'POST', '/keys', newKey)).token;
  const send = async (path, body) => {
    const response = await fetch(server.baseUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (response.status === 404) return undefined;
    expect(response.ok, `${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  return {
    token,
    find: (id) => send(`/pets/${id}`),
    create: (times) =>
      Promise.all(
        Array.from({ length: times }, (_, i) =>
          send('/pets', { name: `Kept ${i}`, categoryId: i }),
        ),
      ),
    stop: () => server.stop(),
  };
}
