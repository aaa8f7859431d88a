import { until } from '@animal-store/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIdempotentCreations } from '../../src/pets/idempotent-creation.ts';
import { type DatabaseKind, kindsOfThisRun } from '../support/databases.ts';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { listAll, type Pet } from '../support/list-all-pets.ts';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import { useService } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';

/** A service, and how its animals are made and counted. */
function useStore(kind: DatabaseKind) {
  const service = useService(kind);
  return {
    service,
    create: (key: string, json: string, options: { token?: string } = {}) =>
      service.call('/pets', { json, headers: { 'Idempotency-Key': key }, ...options }),
    /** All animals of a name that only one test uses. */
    async named(name: string): Promise<Pet[]> {
      const pets = await listAll(service.server, service.tokens.enterprise);
      return [...pets.values()].filter((pet) => pet.name === name);
    },
  };
}

const onPostgres = useStore('postgres');

describe.each(kindsOfThisRun)('idempotent creation on %s', (kind) => {
  const store = kind === 'postgres' ? onPostgres : useStore(kind);

  describe('a replay', () => {
    test('answers the same 201 and creates nothing', async () => {
      const json = '{"name":"Once","categoryId":9007199254740993,"status":"sold"}';
      const first = await store.create('once', json);
      const second = await store.create('once', json);
      expect(first.status).toBe(201);
      expect(first.headers.has('Idempotent-Replayed')).toBe(false);
      expectResponseHeaders(first);
      expect(second.status).toBe(201);
      expect(second.headers.get('Idempotent-Replayed')).toBe('true');
      expectResponseHeaders(second);
      expect(second.text).toBe(first.text);
      expect(await store.named('Once')).toHaveLength(1);
    });

    test('costs one request, as any does', async () => {
      await store.create('cost', rex);
      const before = Number((await store.create('cost', rex)).headers.get('X-RateLimit-Remaining'));
      const replay = await store.create('cost', rex);
      expect(replay.headers.get('X-RateLimit-Remaining')).toBe(String(before - 1));
    });

    test.each([
      ['other whitespace', '{ "name" : "Same",\n\t"categoryId" : 1 , "status":"pending" }\n'],
      ['another order of members', '{"status":"pending","categoryId":1,"name":"Same"}'],
      ['escaped characters', '{"name":"\\u0053ame","categoryId":1,"status":"pending"}'],
    ])('is recognised with %s', async (what, json) => {
      const key = `same-${what.replaceAll(' ', '-')}`;
      const first = await store.create(key, '{"name":"Same","categoryId":1,"status":"pending"}');
      const second = await store.create(key, json);
      expect(second.status).toBe(201);
      expect(second.headers.get('Idempotent-Replayed')).toBe('true');
      expect(second.text).toBe(first.text);
    });

    // On Postgres, consistency.test.ts shows it with another replica.
    if (kind === 'embedded') {
      test('is the same after a restart', async () => {
        const first = await store.create('restart', '{"name":"Restart","categoryId":1}');
        await store.service.restart();
        const second = await store.create('restart', '{"name":"Restart","categoryId":1}');
        expect(second.text).toBe(first.text);
        expect(second.headers.get('Idempotent-Replayed')).toBe('true');
        expect(await store.named('Restart')).toHaveLength(1);
      });
    }
  });

  describe('another body', () => {
    test.each([
      ['name', '{"name":"Other","categoryId":1,"status":"available"}'],
      ['categoryId', '{"name":"Mine","categoryId":2,"status":"available"}'],
      ['status', '{"name":"Mine","categoryId":1,"status":"sold"}'],
    ])('with another %s is refused', async (what, json) => {
      const key = `reused-${what}`;
      await store.create(key, '{"name":"Mine","categoryId":1,"status":"available"}');
      const before = await store.named('Mine');
      const refused = await store.create(key, json);
      expectError(refused, 422, 'idempotency_key_reused', /^Idempotency-Key: expected a new one/);
      expect(refused.headers.has('Idempotent-Replayed')).toBe(false);
      expect(await store.named('Mine')).toEqual(before);
      expect(await store.named('Other')).toEqual([]);
    });

    test('that differs in the last digit of a 64-bit integer is refused', async () => {
      await store.create('digit', '{"name":"Digit","categoryId":9007199254740993}');
      const refused = await store.create('digit', '{"name":"Digit","categoryId":9007199254740992}');
      expectError(refused, 422, 'idempotency_key_reused');
    });

    test('that was refused leaves the first answer to be replayed', async () => {
      const first = await store.create('kept', rex);
      await store.create('kept', '{"name":"Other","categoryId":1}');
      expect((await store.create('kept', rex)).text).toBe(first.text);
    });
  });

  describe('a key', () => {
    test('that met an invalid body is still free', async () => {
      expectError(await store.create('retry', '{"name":"Rex"}'), 400, 'invalid_request');
      const answer = await store.create('retry', rex);
      expect(answer.status).toBe(201);
      expect(answer.headers.has('Idempotent-Replayed')).toBe(false);
    });

    test('belongs to its API key: another one creates an animal of its own', async () => {
      const first = await store.create('shared', '{"name":"Shared","categoryId":1}');
      const other = await store.create('shared', '{"name":"Shared","categoryId":1}', {
        token: store.service.tokens.business,
      });
      expect(other.status).toBe(201);
      expect(other.headers.has('Idempotent-Replayed')).toBe(false);
      expect((other.body as Pet).id).not.toBe((first.body as Pet).id);
      expect(await store.named('Shared')).toHaveLength(2);
    });

    test('of another API key does not refuse another body', async () => {
      await store.create('foreign', rex);
      const other = await store.create('foreign', '{"name":"Foreign","categoryId":5}', {
        token: store.service.tokens.business,
      });
      expect(other.status).toBe(201);
    });

    test('is compared with regard to case', async () => {
      const first = await store.create('CaSe', rex);
      const second = await store.create('case', rex);
      expect((second.body as Pet).id).not.toBe((first.body as Pet).id);
    });

    test.each([
      ['1 character', 'k'],
      ['255 characters', 'k'.repeat(255)],
      ['every visible ASCII character', '!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~'],
      ['SQL', "';drop/**/table/**/pets;--"],
    ])('may have %s', async (_what, key) => {
      const first = await store.create(key, rex);
      expect(first.status).toBe(201);
      const second = await store.create(key, rex);
      expect(second.text).toBe(first.text);
      expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    });

    test.each([
      ['empty', ''],
      ['256 characters long', 'k'.repeat(256)],
      ['of two words', 'two words'],
      ['beyond ASCII', 'cl\xe9'],
    ])('that is %s is refused', async (_what, key) => {
      const before = await store.named('Refused');
      expectError(
        await store.create(key, '{"name":"Refused","categoryId":1}'),
        400,
        'invalid_request',
        /^Idempotency-Key: expected 1 to 255 visible ASCII characters, got "/,
      );
      expect(await store.named('Refused')).toEqual(before);
    });

    test('given twice is refused', async () => {
      const [answer] = await sendRaw(
        store.service.server.origin,
        rawRequest({
          line: 'POST /v1/pets HTTP/1.1',
          headers: [
            'Host: a',
            `Authorization: Bearer ${store.service.tokens.enterprise}`,
            'Content-Type: application/json',
            'Idempotency-Key: a',
            'Idempotency-Key: b',
            `Content-Length: ${rex.length}`,
          ],
          body: rex,
        }),
      );
      if (answer === undefined) throw new Error('No answer came.');
      expectError(answer, 400, 'invalid_request', /^Idempotency-Key: /);
    });

    test('on a GET is ignored', async () => {
      const answer = await store.service.call('/pets?limit=1', {
        headers: { 'Idempotency-Key': 'two words' },
      });
      expect(answer.status).toBe(200);
    });

    test('is optional: without one, equal bodies create two animals', async () => {
      const json = '{"name":"Twice","categoryId":1}';
      await store.service.call('/pets', { json });
      await store.service.call('/pets', { json });
      expect(await store.named('Twice')).toHaveLength(2);
    });
  });

  test('fifty concurrent requests with one key create exactly one animal', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => store.create('race', '{"name":"Race","categoryId":1}')),
    );
    const pets = await store.named('Race');
    expect(pets).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 201) {
        expect(answer.body).toEqual(pets[0]);
        continue;
      }
      expectError(answer, 409, 'idempotency_in_progress');
      expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    }
    const firsts = answers.filter(
      ({ status, headers }) => status === 201 && !headers.has('Idempotent-Replayed'),
    );
    expect(firsts).toHaveLength(1);
  });

  test('fifty concurrent requests with one key and two bodies create exactly one animal', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        store.create('duel', `{"name":"Duel","categoryId":${i % 2}}`),
      ),
    );
    expect(await store.named('Duel')).toHaveLength(1);
    expect(answers.every(({ status }) => [201, 409, 422].includes(status))).toBe(true);
    const firsts = answers.filter(
      ({ status, headers }) => status === 201 && !headers.has('Idempotent-Replayed'),
    );
    expect(firsts).toHaveLength(1);
  });
});

describe('idempotent creation, seen from the database', () => {
  const store = onPostgres;
  let sql: postgres.Sql;
  beforeAll(() => {
    sql = postgres(store.service.database.env['DATABASE_URL'] ?? '', {
      max: 2,
      onnotice: () => {},
    });
  });
  afterAll(() => sql.end());

  test('while the first request is in flight, the second gets 409', async () => {
    // A slow insert: every new animal waits for a lock that this session holds.
    await sql.unsafe(`
      create function wait_for_the_test() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock(42); return new; end';
      create trigger slow before insert on pets for each row execute function wait_for_the_test()`);
    const holder = await sql.reserve();
    await holder`select pg_advisory_lock(42)`;
    // In this database: those of other tests have locks in the same Postgres.
    const waiting = async () =>
      (
        await sql`select from pg_locks join pg_database on pg_database.oid = database
          where datname = current_database() and locktype = 'advisory' and not granted`
      ).length > 0;
    let first: ReturnType<typeof store.create>;
    try {
      first = store.create('slow', '{"name":"Slow","categoryId":1}');
      await until(waiting);

      const second = await store.create('slow', '{"name":"Slow","categoryId":1}');
      expectError(second, 409, 'idempotency_in_progress', /Retry after 1 s/);
      expect(second.headers.get('Retry-After')).toBe('1');
      expect(second.headers.has('Idempotent-Replayed')).toBe(false);

      const other = await store.create('slow', '{"name":"Other","categoryId":1}');
      expectError(other, 409, 'idempotency_in_progress');
    } finally {
      await holder`select pg_advisory_unlock(42)`;
      holder.release();
      await sql`drop trigger slow on pets`;
    }
    expect((await first).status).toBe(201);
    const replay = await store.create('slow', '{"name":"Slow","categoryId":1}');
    expect(replay.headers.get('Idempotent-Replayed')).toBe('true');
    expect(replay.text).toBe((await first).text);
    expect(await store.named('Slow')).toHaveLength(1);
  });

  test('a creation that fails leaves its key free', async () => {
    await sql.unsafe(`
      create function fail() returns trigger language plpgsql as
        'begin raise exception ''out of luck''; end';
      create trigger failing before insert on pets for each row execute function fail()`);
    const failed = await store.create('luck', '{"name":"Luck","categoryId":1}');
    await sql`drop trigger failing on pets`;
    expectError(failed, 500, 'internal_error', /^Something went wrong on our side\.$/);

    const answer = await store.create('luck', '{"name":"Luck","categoryId":2}');
    expect(answer.status).toBe(201);
    expect(answer.headers.has('Idempotent-Replayed')).toBe(false);
    expect(await store.named('Luck')).toHaveLength(1);
  });

  test('a key is remembered for just less than 24 hours', async () => {
    const first = await store.create('almost', '{"name":"Almost","categoryId":1}');
    await sql`update idempotency_keys set created_at = now() - interval '23 hours 59 minutes'
      where idempotency_key = 'almost'`;
    const second = await store.create('almost', '{"name":"Almost","categoryId":1}');
    expect(second.text).toBe(first.text);
    expect(await store.named('Almost')).toHaveLength(1);
  });

  test('a key is forgotten after 24 hours, and then good for another body', async () => {
    await store.create('old', '{"name":"Old","categoryId":1}');
    await sql`update idempotency_keys set created_at = now() - interval '24 hours 1 minute'
      where idempotency_key = 'old'`;
    const again = await store.create('old', '{"name":"Old","categoryId":2}');
    expect(again.status).toBe(201);
    expect(again.headers.has('Idempotent-Replayed')).toBe(false);
    expect(await store.named('Old')).toHaveLength(2);

    const replay = await store.create('old', '{"name":"Old","categoryId":2}');
    expect(replay.text).toBe(again.text);
    expect(await store.named('Old')).toHaveLength(2);
  });

  test('what is forgotten is deleted, however much of it there is, and nothing else', async () => {
    await store.create('kept', rex);
    await sql`insert into idempotency_keys (key_id, idempotency_key, fingerprint, pet_id, created_at)
      select gen_random_uuid(), 'piled up', '', 1, now() - interval '24 hours 1 minute'
      from generate_series(1, 2500)`;
    const { db, close } = await store.service.database.open();
    const { deleteExpired } = createIdempotentCreations(db);
    const isMore = [await deleteExpired(), await deleteExpired(), await deleteExpired()];
    expect(isMore).toEqual([true, true, false]);
    await close();
    const left = await sql`select distinct idempotency_key as name from idempotency_keys
      where idempotency_key = 'piled up' or created_at <= now() - interval '24 hours'`;
    expect(left).toEqual([]);
    expect((await store.create('kept', rex)).headers.get('Idempotent-Replayed')).toBe('true');
  });
});
