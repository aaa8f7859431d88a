import { defaultBanPolicy, errorCodes } from '@animal-store/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { createReferenceFiles } from '../../src/reference/reference-files.ts';
import { send } from '../support/send.ts';
import { useService } from '../support/test-service.ts';

const service = useService('postgres', { env: { ADDRESS_PER_MINUTE: '1000000' } });

const guides = [
  ...['start', 'operations', 'authentication', 'limits', 'errors', 'pagination', 'idempotency'],
  ...['integers', 'deprecation', 'versioning', 'typescript'],
  ...['client', 'client-errors', 'languages'],
];
const pages = ['/docs', ...guides.map((name) => `/docs/guides/${name}`), '/docs/changelog'];

const get = (path: string, headers: Record<string, string> = {}) =>
  send(service.server.origin, { method: 'GET', target: path, headers });

const html = new Map<string, string>();
beforeAll(async () => {
  for (const path of pages) html.set(path, (await get(path)).text);
});

const attributes = (text: string, name: string) =>
  Array.from(text.matchAll(new RegExp(`\\b${name}="([^"]*)"`, 'g')), ([, value = '']) => value);

describe.each(pages)('%s', (path) => {
  const text = () => html.get(path) ?? '';

  test('allows and loads its own files only, and has the form of a page', async () => {
    const { status, headers } = await get(path);
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'sha256-[\w+/]{43}='; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
    );
    const loaded = attributes(text().replaceAll(/<a [^>]*>/g, ''), '(?:src|href)');
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded.filter((file) => !file.startsWith('/docs'))).toEqual([]);
    expect(text().match(/<h1>/g)).toHaveLength(1);
    const ids = attributes(text(), 'id');
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    // The last two: a value or an anchor that was not put in its place.
    expect(text()).not.toMatch(/ style="| on\w+="|<script>|\{\{|\{#/);
  });

  test('links only to what is there', async () => {
    const targets = attributes(text(), 'href').filter((target) => !target.startsWith('http'));
    expect(targets.length).toBeGreaterThan(15);
    const broken: string[] = [];
    for (const target of new Set(targets)) {
      const [page = '', anchor] = target.split('#');
      const there = html.get(page === '' ? path : page);
      const isThere =
        there === undefined
          ? (await get(page)).status === 200
          : anchor === undefined || attributes(there, 'id').includes(anchor);
      if (!isThere) broken.push(target);
    }
    expect(broken).toEqual([]);
  });

  // What a server sends before it waits for the first acknowledgement (RFC 6928: ten segments). So on a
  // network with 560 ms of latency and 1.4 Mbit/s, a slow 4G, the first content is there after 0.7 s.
  test('shows its first content after one answer of at most 14 kB', async () => {
    const { headers } = await get(path, { 'Accept-Encoding': 'gzip' });
    expect(Number(headers.get('Content-Length'))).toBeLessThan(14_000);
    expect(text().length).toBeLessThan(150_000);
    expect(text()).not.toMatch(/rel="stylesheet"|rel="preload"/);
    for (const script of text().match(/<script [^>]*>/g) ?? []) {
      expect(script).toMatch(/ defer>$|^<script type="module"/);
    }
  });

  test('is there as Markdown, with links that are whole', async () => {
    const [markdownPath = ''] = attributes(text(), 'href').filter((href) => href.endsWith('.md'));
    const { status, headers, text: markdown } = await get(markdownPath);
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    const title = /<h1>(.*)<\/h1>/.exec(text())?.[1];
    expect(markdown.startsWith(`# ${title}\n\n`)).toBe(true);
    expect(markdown).not.toMatch(/\]\(\/|\{\{|\{#/);
  });
});

test('the operations say what the OpenAPI document says', async () => {
  const { text } = await get('/docs/guides/operations.md');
  for (const line of [
    '| `limit` | query | integer, 1 to 100, 20 if left out | The greatest number',
    '| `ids` | query | list of 1 to 100: 64-bit integer | Only the animals',
    '| `Idempotency-Key` | header | text, 1 to 255 characters | Makes the request safe',
    '| `petId` (required) | path | 64-bit integer | ',
    '| `name` | text, 1 to 255 characters | yes | ',
    '| `status` | `available` or `pending` or `sold` | no | Availability of the animal: `available` if',
    '| `[].id` | 64-bit integer | yes | ',
    '| `windows.minute.remaining` | integer | yes | ',
    '| `bannedUntil` | time (ISO 8601), or `null` | yes | ',
    '| `Location` | yes | Where the animal can be read',
    '| 429 | `Retry-After` | yes | Whole seconds to wait.',
    '| `code` | text, at most 64 characters | yes | Machine-readable error code.',
    '| `X-Request-Id` | yes | Names the request',
    '### Errors: 400, 401, 403, 405, 429, 500, 503\n\nAll have the same [body](',
    '```json\n{\n  "name": "Mia",\n  "categoryId": 3,\n  "status": "available"\n}\n```',
  ]) {
    expect(text).toContain(line);
  }
});

test('these are all pages', () => {
  const { pages: written } = createReferenceFiles({
    origin: 'https://a.example',
    addressPerMinute: 60,
    banPolicy: defaultBanPolicy,
  });
  const paths = [...written.keys()].filter((path) => /^\/docs[^.]*$/.test(path));
  expect(paths.toSorted()).toEqual(pages.toSorted());
});

test('each error code has a part that says what it means, what leads to it and what to do', () => {
  const page = html.get('/docs') ?? '';
  for (const [code, { status, causes }] of Object.entries(errorCodes)) {
    const [, rest = ''] = page.split(`<h3 id="error-${code}">`);
    const [section = ''] = rest.split(/<h[23]/);
    expect(section.match(/<li>/g), code).toHaveLength(causes.length);
    const plain = section.replaceAll(/<[^>]*>/g, '');
    for (const text of [
      ...[`${status}. `, 'What to do: ', `HTTP/1.1 ${status}`],
      `\n  &quot;code&quot;: &quot;${code}&quot;,\n`,
    ]) {
      expect(plain, code).toContain(text);
    }
  }
  // Addresses of the time of one page.
  for (const anchor of [
    'rate-limits',
    'pagination',
    'integers',
    'typescript-client',
    'deprecation',
  ]) {
    expect(attributes(page, 'id')).toContain(anchor);
  }
});

test('the drawing of both windows is there, and described in words', async () => {
  const [, src = '', alt = ''] =
    /<img src="([^"]*)" alt="([^"]*)">/.exec(html.get('/docs/guides/limits') ?? '') ?? [];
  const { status, headers } = await get(src);
  expect([status, headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
  expect(alt.length).toBeGreaterThan(100);
});

test('the search finds every error code and guide, by addresses that exist', async () => {
  const { text, headers } = await get('/docs/search.json');
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  const entries = JSON.parse(text) as { title: string; page: string; path: string; text: string }[];
  const titles = entries.map(({ title }) => title);
  for (const code of Object.keys(errorCodes)) expect(titles).toContain(code);
  const broken = entries.filter(({ path }) => {
    const [page = '', anchor] = path.split('#');
    const ids = attributes(html.get(page) ?? '', 'id');
    return !html.has(page) || (anchor !== undefined && !ids.includes(anchor));
  });
  expect(broken).toEqual([]);
  expect(new Set(entries.map(({ path }) => path)).size).toBe(entries.length);
  const found = new Set(entries.map(({ path }) => path.split('#')[0]));
  expect(pages.filter((page) => !found.has(page))).toEqual(['/docs/changelog']);
});

test('/llms.txt lists every page as Markdown', async () => {
  const { status, headers, text } = await get('/llms.txt');
  expect([status, headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toMatch(/^# Animal Store API\n\n> /);
  const links = Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, link = '']) => new URL(link));
  expect(links.filter(({ pathname }) => pathname.endsWith('.md'))).toHaveLength(pages.length);
  for (const { origin, pathname } of links) {
    expect(origin).toBe(service.server.origin);
    expect((await get(pathname)).status, pathname).toBe(200);
  }
  const { text: full } = await get('/llms-full.txt');
  expect(full.match(/^# /gm)).toHaveLength(pages.length);
  expect(full).not.toMatch(/\]\(\/|\{\{|\{#/);
});
