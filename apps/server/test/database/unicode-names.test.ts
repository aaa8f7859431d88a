import { faultOfNewName, findLink } from '@animal-store/contract';
import { adminBasePath, type Key, type ServiceLedger } from '@animal-store/contract/admin';
import { expect, test } from 'vitest';
import { accounts } from '../../src/database/schema.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { useAdmin } from '../support/admin.ts';
import { expectError } from '../support/expectations.ts';
import type { Pet } from '../support/list-all-pets.ts';
import { untilPassing } from '../support/local-server.ts';
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
const accepted = names.filter((name) => faultOfNewName(name) === undefined);
const refused = names.filter((name) => faultOfNewName(name) !== undefined);

const { service, admin } = useAdmin('postgres', {
  env: { USAGE_FLUSH_MS: '20' },
  async prepare(db) {
    // Accounts that exist keep their names, too.
    await db.insert(accounts).values(names.map((name) => ({ name })));
    const pets = createPetRepository({ db, reads: db });
    for (const name of refused) await pets.create({ name, categoryId: 7 });
  },
});

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

test('the name of an animal is returned as it was sent, or refused, and returned if it was stored before', async () => {
  for (const [n, name] of refused.entries()) {
    const answer = await service.call('/pets', { json: JSON.stringify({ name, categoryId: 7 }) });
    expectError(answer, 400, 'invalid_request', /^name: expected [ -~]+, got "/);
    // The message shows what cannot be seen as escapes, but for joiners, which belong to emoji.
    expect(answer.text).not.toMatch(/[\p{Zl}\p{Zp}]|(?!\u200d)\p{Cf}/u);
    expect((await service.call(`/pets/${n + 1}`)).body).toMatchObject({ id: n + 1, name });
  }
  for (const [n, name] of accepted.entries()) {
    const json = JSON.stringify({ name, categoryId: 7 });
    const headers = { 'Idempotency-Key': `key-${n}` };
    const created = await service.call('/pets', { json, headers });
    expect(created).toMatchObject({ status: 201, body: { name } });
    const { id } = created.body as Pet;
    expect((await service.call('/pets', { json, headers })).text).toBe(created.text);
    expect((await service.call(`/pets/${id}`)).text).toBe(created.text);
  }
  const found = await namesOn('/pets?limit=3&categoryId=7', service.call, '/v1');
  expect(found).toEqual([...refused, ...accepted]);
});

test('a key is found by its name and account, as they were sent, in lists, usage and audit log', async () => {
  for (const name of names) {
    const { token } = await admin.create(JSON.stringify({ plan: 'free', name, account: name }));
    await call(`${service.server.baseUrl}/pets`, { token });
  }
  const sorted = await namesOn('/keys?sort=name&limit=1', admin.call, adminBasePath);
  expect(sorted.sort()).toEqual([...names, 'business', 'enterprise', 'free', 'pro'].sort());
  const keys = await untilPassing([service.server], async () => {
    const { body } = await admin.call('/usage?groupBy=key&limit=100');
    // Those of the keys above, of which the last may be written later than the others.
    const { keys = [] } = body as ServiceLedger;
    return keys.filter(({ plan }) => plan === 'free').length >= names.length && keys;
  });
  for (const name of names) {
    const encoded = encodeURIComponent(name);
    const own = await admin.call(`/keys?account=${encoded}`);
    expect(own.body, name).toMatchObject([{ name, account: name }]);
    const { body } = await admin.call(`/keys?name=${encoded}&limit=100`);
    expect((body as Key[]).map((key) => key.name)).toContain(name);
    expect(keys).toContainEqual(expect.objectContaining({ name, account: name, plan: 'free' }));
    const { body: entries } = await admin.call(`/audit?account=${encoded}`);
    expect(entries).toMatchObject([{ subject: { name, account: name }, after: { name } }]);
  }
});
