import { findLink } from '@animal-store/contract';
import { adminContract, createAdminOpenApi } from '@animal-store/contract/admin';
import { describe, expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import { kindsOfThisRun } from '../support/databases.ts';

const csvType = 'text/csv; charset=utf-8; header=present';

describe.each(kindsOfThisRun)('lists as CSV on %s', (kind) => {
  const { admin } = useAdmin(kind);
  const list = (path: string, accept = 'text/csv') =>
    admin.call(path, { headers: { Accept: accept } });
  const linesOf = (text: string) => text.split('\r\n');

  /** The header that the document shows. */
  function documentedHeader(path: string): string {
    const document = createAdminOpenApi() as unknown as {
      paths: Record<string, { get: { responses: { 200: { content: Record<string, unknown> } } } }>;
    };
    const media = document.paths[path]?.get.responses[200].content['text/csv'];
    return linesOf((media as { example: string }).example)[0] ?? '';
  }

  test('keys have a row each, and say whether their account is suspended', async () => {
    const { key } = await admin.create('{"name":"=cmd()","account":"Ö, \\"1\\"","plan":"pro"}');
    const account = encodeURIComponent('Ö, "1"');
    await admin.call(`/accounts/${account}/suspend?reason=unpaid`, { method: 'POST' });
    const { status, headers, text } = await list(`/keys?account=${account}`);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe(csvType);
    expect(headers.get('Vary')).toBe('Accept-Encoding, Accept');
    const [header, row, ...more] = linesOf(text);
    expect(header).toBe(documentedHeader('/keys'));
    expect(row).toMatch(
      /^[\w-]{36},'=cmd\(\),"Ö, ""1""",pro,300,10000,pets:read pets:write,suspended,,,,\S+Z,unpaid,\S+Z,,,,ast_\w{4}$/,
    );
    expect(row?.startsWith(key.id)).toBe(true);
    expect(more).toEqual(['']);
    const inUse = linesOf((await list(`/keys?account=${account}&include=recent`)).text);
    expect(inUse).toEqual([
      `${header},requestsIn24Hours,deprecatedCallsIn30Days`,
      `${row},0,0`,
      '',
    ]);
    expect(linesOf((await list('/keys?account=nobody&include=recent')).text)).toEqual([
      inUse[0],
      '',
    ]);
  });

  test('accounts and audit entries have a row each, with the Link to the next page', async () => {
    for (const name of ['csv-1', 'csv-2']) {
      await admin.call(`/accounts/${name}?reason=C-17`, { method: 'PUT', json: '{"plan":"pro"}' });
    }
    const accounts = await list('/accounts?search=csv-&limit=1');
    expect(linesOf(accounts.text)).toEqual([
      documentedHeader('/accounts'),
      'csv-1,pro,300,10000,,,0,0',
      '',
    ]);
    const next = findLink(accounts.headers.get('Link') ?? '', 'next') ?? '';
    const second = await list(next.replace(/^.*\/admin\/v1/, ''));
    expect(linesOf(second.text)[1]).toBe('csv-2,pro,300,10000,,,0,0');
    const audit = linesOf((await list('/audit?account=csv-1')).text);
    expect(audit).toEqual([
      documentedHeader('/audit'),
      expect.stringMatching(
        /^\d+,\S+Z,admin_token,,ADMIN_TOKEN,account\.changed,account,[\w-]{36},csv-1,csv-1,\{\},"\{""plan"":""pro"",.*\}",[\w-]+,C-17$/,
      ),
      '',
    ]);
  });

  test.each([adminContract.listKeys, adminContract.listAccounts, adminContract.listAuditEntries])(
    '$path is JSON unless CSV is preferred, and so are refusals',
    async ({ path }) => {
      expect((await list(path, '*/*')).headers.get('Content-Type')).toMatch(/^application\/json/);
      const refused = await list(`${path}?limit=0`);
      expect(refused.status).toBe(400);
      expect(refused.headers.get('Content-Type')).toMatch(/^application\/json/);
    },
  );
});
