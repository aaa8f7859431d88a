import { readFileSync } from 'node:fs';
import { defaultBanPolicy } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { createDocsFiles, docsPaths } from './index.ts';

async function homeAt(origin: string): Promise<string> {
  const { pages } = createDocsFiles({ origin, addressPerMinute: 60, banPolicy: defaultBanPolicy });
  const home = await pages.get(docsPaths.home)?.();
  return home?.content ?? expect.unreachable('there is a first page');
}

test('the code sample in the README of apps/docs renders a page of the API reference', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  const body = example.replaceAll(/^import .*\n/gm, '').replace(/ \/\/.*/g, '');
  const run = new Function(
    ...['createDocsFiles', 'docsPaths', 'defaultBanPolicy'],
    `return (async () => {${body}; return overview;})()`,
  );
  expect(await run(createDocsFiles, docsPaths, defaultBanPolicy)).toMatchObject({
    type: 'text/html; charset=utf-8',
    content: expect.stringContaining('https://api.example.com/v1/pets'),
    headers: { 'Content-Security-Policy': expect.any(String) },
  });
});

test('a page links to AI assistants only when the service has a public HTTPS address', async () => {
  const page = await homeAt('https://api.example.com');
  for (const name of ['ChatGPT', 'Claude']) expect(page).toContain(`>Open in ${name}</a>`);
  expect(page).toContain(encodeURIComponent('https://api.example.com/docs/index.md'));
  expect(await homeAt('http://127.0.0.1:3000')).not.toContain('Open in');
});
