import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createClient } from '@animal-store/client';
import { chromiumOptions, hangMs, startServer } from '@animal-store/testkit';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { createPageServer } from '../../browser-page/serve.ts';

const adminToken = 'an-admin-token-for-tests';

test('the example page shows the animals of the catalogue in Chromium, one page after another', async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startServer({ env: { ADMIN_TOKEN: adminToken } }));
  const created = await fetch(`${server.opsUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
    body: '{"name":"example","plan":"free","scopes":["pets:read"]}',
  });
  const { token: apiKey } = (await created.json()) as { token: string };
  const options = { baseUrl: server.baseUrl, apiKey: server.demoKey };
  // With this animal, more than 10 animals are for sale, so the list has a second page. The button
  // "More" needs this page.
  await createClient(options).createPet({ name: '<b>Mia</b>', categoryId: 3 });

  const pages = await createPageServer({ baseUrl: server.baseUrl, apiKey });
  pages.listen(0, '127.0.0.1');
  stack.defer(() => {
    pages.close();
  });
  await once(pages, 'listening');
  const browser = await chromium.launch(await chromiumOptions());
  stack.defer(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(hangMs);
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
  await page.getByText('10 animals', { exact: true }).waitFor();
  const items = page.getByRole('listitem');
  await page.getByRole('button', { name: 'More' }).click();
  await expect.poll(() => items.count()).toBeGreaterThan(10);
  // The name of the animal contains HTML. The page must show the name as text.
  expect(await page.locator('#animals b').count()).toBe(0);
  expect(await items.allTextContents()).toContain('<b>Mia</b>');
});
