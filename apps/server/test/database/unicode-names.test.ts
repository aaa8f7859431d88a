import { findLink } from '@animal-store/contract';
import { adminBasePath, type Key } from '@animal-store/contract/admin';
import { expect, test } from 'vitest';
import { accounts } from '../../src/database/schema.ts';
import { useAdmin } from '../support/admin.ts';

/** What texts lose where they are decoded, compared, put into addresses, or given to drivers. */
const names = [
  '\uFEFF\uFEFFR\uFEFFx\uFEFF',
  ' \u00A0\u3000Rex\u2003 \u202Exer\u202C',
  '\uFFFE\u{10FFFF}\u00C5 A\u030A \u0130stanbul \u0131 ß ẞ ſ',
  `{NULL,"a"} \\x41 'b' %s $1 ,;`,
  'null',
];

const { admin } = useAdmin('postgres', {
  async prepare(db) {
    // Accounts that exist keep their names, too.
    await db.insert(accounts).values(names.map((name) => ({ name })));
  },
});

test('a key is found by its name and account, as they were sent, in lists and the audit log', async () => {
  for (const name of names) {
    await admin.create(JSON.stringify({ plan: 'free', name, account: name }));
    const encoded = encodeURIComponent(name);
    for (const query of [`account=${encoded}`, `name=${encoded}`]) {
      const { body } = await admin.call(`/keys?${query}`);
      expect(body).toMatchObject([{ name, account: name }]);
    }
    const { body } = await admin.call(`/audit?account=${encoded}`);
    expect(body).toMatchObject([{ subject: { name, account: name }, after: { name } }]);
  }
  const sorted: (string | null)[] = [];
  for (let path: string | undefined = '/keys?sort=name&limit=1'; path !== undefined; ) {
    const { body, headers } = await admin.call(path);
    sorted.push(...(body as Key[]).map(({ name }) => name));
    path = findLink(headers.get('Link') ?? '', 'next')?.replace(adminBasePath, '');
  }
  expect(sorted.sort()).toEqual([...names, 'business', 'enterprise', 'free', 'pro'].sort());
});
