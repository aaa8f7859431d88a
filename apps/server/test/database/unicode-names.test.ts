import { faultOfNewName, findLink } from '@animal-store/contract';
import { adminBasePath, type Key, type ServiceLedger } from '@animal-store/contract/admin';
import { until } from '@animal-store/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { accounts } from '../../src/database/schema.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { useAdmin } from '../support/admin.ts';
import { expectError } from '../support/expectations.ts';
import type { Pet } from '../support/list-all-pets.ts';
import type { Answer } from '../support/send.ts';
import { call } from '../support/test-service.ts';

const oddities = {
  'a byte order mark at the start': '\uFEFFRex',
  'nothing but a byte order mark': '\uFEFF',
  'byte order marks everywhere': '\uFEFF\uFEFFR\uFEFFx\uFEFF',
  'a swapped byte order mark, which is no character': '\uFFFERex',
  'the last code point': '\u{10FFFF}',
  'private characters': '\uE000\u{F0000}',
  'the replacement character': '\uFFFD',
  'separators of lines and paragraphs': '\u2028Rex\u2029',
  spaces: ' \u00A0\u3000Rex\u2003 ',
  'a space': ' ',
  'invisible characters': '\u200B\u00AD\u2060\u200D',
  'controls of the direction': '\u202Exer\u202C\u2066\u2069',
  'composed characters': '\u00C5\uAC01',
  'the same, decomposed': 'A\u030A\u1100\u1161\u11A8',
  'a letter with two capital forms': '\u0130stanbul \u0131 ß ẞ ſ',
  'an emoji of several': '👩🏽‍🚒🏳️‍🌈',
  'what drivers and formats give a meaning': `{NULL,"a"} \\x41 'b' %s $1 ,;`,
  'the name of a value': 'null',
  'a tag character': '\u{E0041}',
};
const names = Object.values(oddities);
/** Those that new animals may have, and those that old ones may still have. */
const [accepted, refused] = [true, false].map((isAccepted) =>
  Object.entries(oddities).filter(
    ([, name]) => (faultOfNewName(name) === undefined) === isAccepted,
  ),
) as [[string, string][], [string, string][]];

describe('a name with oddities of Unicode', () => {
  const { service, admin } = useAdmin('postgres', {
    env: { USAGE_FLUSH_MS: '20' },
    async prepare(db) {
      // Accounts that exist keep their names, too.
      await db.insert(accounts).values(names.map((name) => ({ name })));
      const pets = createPetRepository({ db, reads: db });
      for (const [, name] of refused) await pets.create({ name, categoryId: 7 });
    },
  });

  test.each(accepted)('is returned as it was sent: %s', async (oddity, name) => {
    const json = JSON.stringify({ name, categoryId: 1 });
    const headers = { 'Idempotency-Key': encodeURIComponent(oddity) };
    const create = () => service.call('/pets', { json, headers });
    const created = await create();
    expect(created).toMatchObject({ status: 201, body: { name } });
    expect(await create()).toMatchObject({ status: 201, text: created.text });
    const { id } = created.body as Pet;
    expect((await service.call(`/pets/${id}`)).text).toBe(created.text);
  });

  test.each(refused)(
    'is refused, and returned if it was stored before: %s',
    async (_oddity, name) => {
      const answer = await service.call('/pets', { json: JSON.stringify({ name, categoryId: 1 }) });
      expectError(answer, 400, 'invalid_request', /^name: expected [ -~]+, got "/);
      // The message shows what cannot be seen as escapes, but for joiners, which belong to emoji.
      expect(answer.text).not.toMatch(/[\p{Zl}\p{Zp}]|(?!\u200d)\p{Cf}/u);
      const id = 1 + refused.findIndex(([, each]) => each === name);
      expect((await service.call(`/pets/${id}`)).body).toMatchObject({ id, name });
    },
  );

  /** The names on all pages of a list. */
  async function namesOn(first: string, ask: (path: string) => Promise<Answer>, base: string) {
    const found: (string | null)[] = [];
    for (let path: string | undefined = first; path !== undefined; ) {
      const { body, headers } = await ask(path);
      found.push(...(body as { name: string | null }[]).map(({ name }) => name));
      const next = findLink(headers.get('Link') ?? '', 'next');
      path = next?.slice(next.indexOf(base) + base.length);
    }
    return found;
  }

  test('is on one page of a list, as it was sent', async () => {
    const stored = refused.map(([, name]) => name);
    for (const [, name] of accepted) {
      await service.call('/pets', { json: JSON.stringify({ name, categoryId: 7 }) });
      stored.push(name);
    }
    // The other tests have made theirs, or not yet.
    const found = await namesOn('/pets?limit=3&categoryId=7', service.call, '/v1');
    expect(found).toEqual(stored);
  });

  describe('of a key', () => {
    beforeAll(async () => {
      for (const name of names) {
        const { token } = await admin.create(JSON.stringify({ plan: 'free', name, account: name }));
        await call(`${service.server.baseUrl}/pets`, { token });
      }
    });

    test('is on one page of a list that is sorted by name, as it was sent', async () => {
      const found = await namesOn('/keys?sort=name&limit=1', admin.call, adminBasePath);
      const others = ['business', 'enterprise', 'free', 'pro'];
      expect(found.sort()).toEqual([...names, ...others].sort());
    });

    test.each(Object.entries(oddities))('is found by its account: %s', async (_oddity, name) => {
      const { body } = await admin.call(`/keys?account=${encodeURIComponent(name)}`);
      expect(body).toMatchObject([{ name, account: name }]);
    });

    test.each(Object.entries(oddities))('is found by its name: %s', async (_oddity, name) => {
      const { body } = await admin.call(`/keys?name=${encodeURIComponent(name)}&limit=100`);
      expect((body as Key[]).map((key) => key.name)).toContain(name);
    });

    test('is in the usage and in the audit log, as it was sent', async () => {
      const keys = await until(async () => {
        const { body } = await admin.call('/usage?groupBy=key&limit=100');
        // Those of the keys below, of which the last may be written later than the others.
        const { keys = [] } = body as ServiceLedger;
        return keys.filter(({ plan }) => plan === 'free').length >= names.length && keys;
      });
      for (const name of names) {
        expect(keys).toContainEqual(expect.objectContaining({ name, account: name, plan: 'free' }));
        const { body } = await admin.call(`/audit?account=${encodeURIComponent(name)}`);
        expect(body).toMatchObject([{ subject: { name, account: name }, after: { name } }]);
      }
    });
  });
});
