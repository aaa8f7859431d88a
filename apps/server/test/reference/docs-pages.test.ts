import { defaultBanPolicy, errorCodes } from '@animal-store/contract';
import { createDocsFiles } from '@animal-store/docs';
import { beforeAll, expect, test } from 'vitest';
import { send } from '../support/send.ts';
import { useService } from '../support/test-service.ts';

const service = useService('postgres', { quotas: { addressPerMinute: 1_000_000 } });

const { pages: written } = createDocsFiles({
  origin: 'https://a.example',
  addressPerMinute: 60,
  banPolicy: defaultBanPolicy,
});
const pages = [...written.keys()].filter((path) => /^\/docs[^.]*$/.test(path));

const get = (path: string, headers: Record<string, string> = {}) =>
  send(service.server.origin, { method: 'GET', target: path, headers });

const html = new Map<string, string>();
beforeAll(async () => {
  for (const path of pages) html.set(path, (await get(path)).text);
});

const attributes = (text: string, name: string) =>
  Array.from(text.matchAll(new RegExp(`\\b${name}="([^"]*)"`, 'g')), ([, value = '']) => value);
const idsOf = (page: string) => attributes(html.get(page) ?? '', 'id');

/** Tells whether an address leads to an existing page, and to an existing anchor on this page. */
async function isThere(address: string): Promise<boolean> {
  const [page = '', anchor] = address.split('#');
  if (!html.has(page)) return (await get(page)).status === 200;
  return anchor === undefined || idsOf(page).includes(anchor);
}

test.each(pages)(
  'the documentation page %s loads only files of the service and links only to existing pages',
  async (path) => {
    const { status, headers } = await get(path, { 'Accept-Encoding': 'gzip' });
    const text = html.get(path) ?? '';
    const what = [status, headers.get('Content-Encoding'), headers.get('Content-Type')];
    expect(what).toEqual([200, 'gzip', 'text/html; charset=utf-8']);
    expect(headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'sha256-[\w+/]{43}='; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
    );
    // The limit is the number of bytes that a server sends before it waits for the first
    // acknowledgement (RFC 6928: ten segments). With this size, the first content appears after 0.7
    // s on a slow 4G network with 560 ms of latency and 1.4 Mbit/s.
    expect(Number(headers.get('Content-Length'))).toBeLessThan(14_000);
    // The page must contain no inline styles, event handlers or scripts, no scripts that block
    // rendering, and no placeholders that were not replaced.
    expect(text).not.toMatch(/ style="| on\w+="|<script>|rel="stylesheet"|rel="preload"|\{\{|\{#/);
    const scripts = text.match(/<script [^>]*>/g) ?? [];
    expect(scripts.filter((tag) => !/ defer>$|^<script type="module"/.test(tag))).toEqual([]);
    const ids = idsOf(path);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);

    const loaded = attributes(text.replaceAll(/<a [^>]*>/g, ''), '(?:src|href)');
    expect(loaded.filter((file) => !file.startsWith('/docs'))).toEqual([]);
    const links = attributes(text, 'href')
      .filter((target) => !target.startsWith('http'))
      .map((target) => (target.startsWith('#') ? path + target : target));
    const broken: string[] = [];
    for (const target of new Set([...links, ...loaded]))
      if (!(await isThere(target))) broken.push(target);
    expect(broken).toEqual([]);
  },
);

test('the first page of the documentation shows a request and the headers of its real response', async () => {
  const { text } = await get('/docs/index.md');
  const [, target = ''] = /^curl -i "([^"]+)"/m.exec(text) ?? [];
  await service.call('/pets', { json: '{"name":"Mia","categoryId":3}' });
  await service.call('/pets', { json: '{"name":"Tom","categoryId":3}' });
  const answer = await service.call(target.replace(/^.*\/v1/, ''));
  const [, head = '', body = ''] =
    /```http\nHTTP\/1.1 200 OK\n([\s\S]*?)\n\n([\s\S]*?)```/.exec(text) ?? [];
  const names = Array.from(head.matchAll(/^[\w-]+/gm), ([name]) => name);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !answer.headers.has(name))).toEqual([]);
  const [pet] = answer.body as object[];
  expect(Object.keys(JSON.parse(body)[0])).toEqual(Object.keys(pet ?? {}));
});

test('the documentation page of operations contains the parameters, schemas and errors from the OpenAPI document', async () => {
  const { text } = await get('/docs/guides/operations.md');
  for (const line of [
    '| `limit` | query | integer, 1 to 100, default 20 | The largest number',
    '| `ids` | query | array of 64-bit integer, 1 to 100 items | Lists only the animals',
    '| `petId` (required) | path | 64-bit integer | ',
    '| `name` | string, 1 to 255 characters | yes | ',
    '| `status` | `available` or `pending` or `sold` | no | The availability of the animal. The default is',
    '| `[].id` | 64-bit integer | yes | ',
    '| `bannedUntil` | time (ISO 8601), or `null` | yes | ',
    '| 429 | `Retry-After` | yes | Whole seconds to wait.',
    '### Errors: 400, 401, 403, 405, 429, 500, 503\n\nAll errors have the same [body](',
    '```json\n{\n  "name": "Mia",\n  "categoryId": 3,\n  "status": "available"\n}\n```',
  ]) {
    expect(text).toContain(line);
  }
});

test('the documentation explains the meaning, the causes and the remedy of each error code', () => {
  const page = html.get('/docs') ?? '';
  for (const [code, { status, causes }] of Object.entries(errorCodes)) {
    const [, rest = ''] = page.split(`<h3 id="error-${code}">`);
    const [section = ''] = rest.split(/<h[23]/);
    expect(section.match(/<li>/g), code).toHaveLength(causes.length);
    const plain = section.replaceAll(/<[^>]*>/g, '');
    expect(plain, code).toContain(`\n  "code": "${code}",\n`);
    for (const text of [`${status}. `, 'What to do: ', `HTTP/1.1 ${status}`])
      expect(plain, code).toContain(text);
  }
  // Old links use these anchors, because the whole documentation was one page in the past.
  expect(idsOf('/docs')).toEqual(
    expect.arrayContaining([
      ...['rate-limits', 'pagination', 'integers', 'typescript-client', 'deprecation'],
    ]),
  );
});

test('the search of the documentation finds every error code and guide, and its results link to existing sections', async () => {
  const { text, headers } = await get('/docs/search.json');
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  const entries = JSON.parse(text) as { title: string; path: string }[];
  const titles = entries.map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(Object.keys(errorCodes)));
  const paths = entries.map(({ path }) => path);
  for (const path of paths) expect(await isThere(path), path).toBe(true);
  const found = new Set(paths.map((path) => path.split('#')[0]));
  expect(pages.filter((page) => !found.has(page))).toEqual(['/docs/changelog']);
});

test('every documentation page is available as Markdown with absolute links, and is part of /llms.txt and /llms-full.txt', async () => {
  const { headers, text } = await get('/llms.txt');
  expect(headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  expect(text).toMatch(/^# Animal Store API\n\n> /);
  const links = Array.from(text.matchAll(/\]\(([^)]+\.md)\)/g), ([, link = '']) => new URL(link));
  const { text: full } = await get('/llms-full.txt');
  const { origin } = service.server;
  const titles: string[] = [];
  for (const link of links) {
    expect(link.origin).toBe(origin);
    const { headers, text } = await get(link.pathname);
    expect(headers.get('Content-Type')).toBe('text/markdown; charset=utf-8');
    expect(text).not.toMatch(/\]\(\/|\{\{|\{#/);
    titles.push(/^# (.*)\n\n/.exec(text)?.[1] ?? link.pathname);
  }
  const titleOf = (page: string) => /<h1>(.*)<\/h1>/.exec(page)?.[1];
  expect(titles.toSorted()).toEqual([...html.values()].map(titleOf).toSorted());
  expect(full.match(/^# /gm)).toHaveLength(pages.length);
  expect(full).not.toMatch(/\]\(\/|\{\{|\{#/);
});
