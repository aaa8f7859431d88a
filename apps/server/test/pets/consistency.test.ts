import { openPostgres } from '@animal-store/postgres/open-postgres';
import { openTcpProxy, postgresProtocol, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { createDatabase, patientDatabase } from '../support/databases.ts';

// Reads that arrive at the same time share an SQL statement. A read must not share a statement that
// is already in flight, because the result of this statement would not contain the new animal.
test('a replica that has other reads in flight still returns an animal that another replica has just created', async () => {
  await using database = await createDatabase('postgres');
  /**
   * If this value is set, the proxy delays the rows that Postgres sends to one replica of the
   * service until the promise `end` resolves. It counts these messages in `rows`.
   */
  let hold: { end: Promise<void>; rows: number } | undefined;
  await using proxy = await openTcpProxy({
    target: database.url,
    protocol: postgresProtocol,
    onMessage({ type }) {
      if (type !== 'DataRow' || hold === undefined) return undefined;
      hold.rows += 1;
      return hold.end;
    },
  });
  await using stack = new AsyncDisposableStack();
  const open = (at: string) => {
    const opened = openPostgres(at, { ...patientDatabase, ...migrationOptions });
    stack.defer(opened.close);
    return createPetRepository(opened);
  };
  const [near, far] = [open(database.url), open(proxy.url)];
  const { id: afterId } = await near.create({ name: 'Rex', categoryId: 1 });
  const id = afterId + 1;
  const readAll = () =>
    Promise.all([
      far.find(id),
      far.listByIds({ ids: [id], status: undefined }),
      far.list({ afterId, status: 'available' }, 9).then(({ json }) => json),
    ]);
  expect(await readAll()).toEqual([undefined, '[]', '[]']);

  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = { end: promise, rows: 0 };
  hold = begun;
  const early = readAll();
  await until(() => begun.rows === 3);
  const created = JSON.stringify(await near.create({ name: 'Rex', categoryId: 1 }));
  hold = undefined;
  const late = readAll();
  resolve();
  expect(await late).toEqual([created, `[${created}]`, `[${created}]`]);
  expect(await early).toEqual([undefined, '[]', '[]']);
});
