import { expect, test } from 'vitest';
import { adminToken, useAdmin } from '../support/admin.ts';
import { violationsOf } from '../support/axe.ts';
import { openConsole } from '../support/console-browser.ts';
import { useBrowser } from '../support/use-browser.ts';

const { service, admin } = useAdmin('embedded');
const browser = useBrowser();

test('an account gets a plan, shows why it is refused and by which key, and is suspended and resumed', async () => {
  const account = 'C/17 & Söhne';
  const { token } = await admin.create(JSON.stringify({ name: 'busy', account, plan: 'free' }));
  await admin.create(JSON.stringify({ name: 'idle', account, plan: 'free' }));
  await using tab = await openConsole(browser, service.server.opsUrl);
  const { page } = tab;
  const statusOf = async () => (await service.call('/pets', { token })).status;
  const notice = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  await tab.logIn(adminToken);
  await tab.show('#/accounts');
  await page.getByRole('link', { name: account }).click();
  await page.getByRole('heading', { name: account, level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Keys' }).getByRole('link', { name: 'idle' }).waitFor();

  await page.getByRole('button', { name: 'Change plan or limits…' }).click();
  await page.getByRole('dialog').getByLabel('Plan').selectOption('enterprise');
  await page.getByLabel('Requests a minute').fill('100');
  await page.getByLabel('Requests a day').fill('2');
  await page.getByRole('button', { name: 'Change plan or limits', exact: true }).click();
  await notice('The plan is changed.');
  await expect.poll(statusOf).toBe(429);
  await page.getByText('The day is used up until').waitFor();
  await page.locator('.state').getByRole('link', { name: 'busy' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole('button', { name: 'Suspend…' }).click();
  await page.getByLabel('Reason').fill('unpaid');
  await page.getByRole('button', { name: 'Suspend', exact: true }).click();
  await notice('The account is suspended.');
  await expect.poll(statusOf).toBe(403);
  await page.locator('.state').filter({ hasText: 'unpaid' }).waitFor();

  // Its keys say so, and cannot be resumed by themselves.
  await tab.show('#/keys?state=suspended');
  const busy = page.getByRole('row').filter({ hasText: 'busy' });
  await busy.getByText('account suspended').waitFor();
  await busy.getByRole('link', { name: 'busy' }).click();
  await page
    .locator('.state')
    .filter({ hasText: `Its account ${account} is suspended` })
    .waitFor();
  await page.getByRole('button', { name: 'Suspend…' }).waitFor();
  expect(await page.getByRole('button', { name: 'Resume…' }).count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);

  await tab.show('#/accounts?suspended=true');
  await page.getByRole('row').filter({ hasText: account }).getByText('suspended').waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole('link', { name: account }).click();
  await page.getByRole('button', { name: 'Resume…' }).click();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await notice('The account is resumed.');
  await page.getByRole('button', { name: 'Take the plan away…' }).click();
  await page.getByRole('button', { name: 'Take the plan away', exact: true }).click();
  await notice('The account has no plan.');
  await expect.poll(statusOf).toBe(200);

  // Another letter case is another account, so the first try only warns.
  await tab.show('#/new-key');
  await page.getByLabel(/^Name/).fill('other');
  await page.getByLabel(/^Account/).fill(account.toLowerCase());
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByText(`There is already the account ${account}. Letter case matters`).waitFor();
  expect((await admin.call('/accounts?anyCaseOf=C%2F17%20%26%20S%C3%B6hne')).body).toHaveLength(1);
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  expect(tab.complaints).toEqual([]);
});
