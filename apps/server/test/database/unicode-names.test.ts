import { findLink } from '@animal-store/contract';
import { adminBasePath, type Key, type ServiceLedger } from '@animal-store/contract/admin';
import { expect, test } from 'vitest';
import { accounts } from '../../src/database/schema.ts';
import { useAdmin } from '../support/admin.ts';
import { untilPassing } from '../support/local-server.ts';
import { call } from '../support/test-service.ts';

const oddities = {
  'a byte order mark at the start': '\uFEFFRex',
  'byte order marks everywhere': '\uFEFF\uFEFFR\uFEFFx\uFEFF',
  'a swapped byte order mark, which is no character': '\uFFFERex',
  'the last code point': '\u{10FFFF}',
  spaces: ' \u00A0\u3000Rex\u2003 ',
  'controls of the direction': '\u202Exer\u202C\u2066\u2069',
  'composed characters': '\u00C5\uAC01',
  'the same, decomposed': 'A\u030A\u1100\u1161\u11A8',
  'a letter with two capital forms': '\u0130stanbul \u0131 ß ẞ ſ',
  'what drivers and formats give a meaning': `{NULL,"a"} \\x41 'b' %s $1 ,;`,
  'the name of a value': 'null',
};
const names = Object.values(oddities);

const { service, admin } = useAdmin('postgres', {
  env: { USAGE_FLUSH_MS: '20' },
  async prepare(db) {
    // Accounts that exist keep their names, too.
    await db.insert(accounts).values(names.map((name) => ({ name })));
  },
});

test('a key is found by its name and account, as they were sent, in lists, usage and audit log', async () => {
  for (const name of names) {
    const { token } = await admin.create(JSON.stringify({ plan: 'free', name, account: name }));
    await call(`${service.server.baseUrl}/pets`, { token });
  }
  const sorted: (string | null)[] = [];
  for (let path: string | undefined = '/keys?sort=name&limit=1'; path !== undefined; ) {
    const { body, headers } = await admin.call(path);
    sorted.push(...(body as Key[]).map(({ name }) => name));
    path = findLink(headers.get('Link') ?? '', 'next')?.replace(adminBasePath, '');
  }
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
