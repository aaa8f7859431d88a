import { expect } from 'vitest';
import type { Store } from '../../support/use-console.ts';

const newPet = '{"name":"Mia","categoryId":3}';

/**
 * Creates an API key after mistakes in the form, and copies its token for the customer. The journey
 * then uses and changes the key, and revokes the key after a leak.
 */
export async function manageKey({ service, open, statusOf }: Store): Promise<void> {
  await using tab = await open();
  const { page, field } = tab;
  await tab.show('#/keys');
  await page.getByRole('link', { name: 'New key' }).click();
  await tab.heading('New key');
  // Each error is shown next to its field and uses the label of the field. The form keeps the input.
  await field('Name').fill('  acme ');
  await field('Account').fill('x'.repeat(256));
  await field('Expires').fill('2020-01-31T12:00');
  await tab.press('Create key');
  await page.getByText('Choose a time in the future.').waitFor();
  const faulty = page.locator('[name=account][aria-invalid=true]:focus');
  const [id = ''] = ((await faulty.getAttribute('aria-describedby')) ?? '').split(' ');
  expect(await page.locator(`[id="${id}"]`).textContent()).toContain('1 to 255 characters');
  await field('Account').fill('C-17');
  await field('Expires').fill('');
  await field('Plan').selectOption('enterprise');
  await field('Requests a minute').fill('50');
  await field('Requests a day').fill('5000');
  await field('Permissions').selectOption('Read only');
  await tab.press('Create key');
  const token = await tab.takeToken();
  expect(await statusOf(token, newPet)).toBe(403);
  for (const target of ['/pets', '/pets', '/pets/1']) await service.call(target, { token });
  await tab.heading('acme');
  await page.getByText('50 a minute, 5,000 a day').waitFor();
  const outcomes = page.getByRole('table', { name: 'By outcome' });
  await tab.news(outcomes.getByRole('row', { name: 'All 4' }));
  await page.getByRole('table', { name: 'By operation' }).getByText('deprecated').waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await tab.press('Copy the ID');
  await tab.notice('Copied the ID.');
  expect(page.url()).toContain(String(await page.evaluate('navigator.clipboard.readText()')));

  await page.getByRole('button', { name: 'Edit name' }).click();
  await field('Account').fill('C-18');
  await field('Permissions').selectOption('Read and write');
  await field('Expires').fill('2099-01-31T12:00');
  await tab.press('Save');
  await tab.notice('Key changed.');
  await page.getByText('31 Jan 2099').first().waitFor();
  expect(await statusOf(token, newPet)).toBe(201);
  await tab.press('Change plan or limits…');
  await field('Plan').selectOption('pro');
  await tab.press('Change');
  // The page describes the plan with the same words as the dialog.
  await tab.notice('Plan changed.');
  await page.getByText('300 a minute, 10,000 a day').waitFor();

  await tab.press('Suspend…');
  await field('Reason').fill('found in a public repository');
  await tab.press('Suspend the key');
  await page.getByText('Reason: found in a public repository').waitFor();
  expect(await statusOf(token)).toBe(403);
  await tab.news(page.locator('dt:text("Last refused request") + dd time'));
  await tab.press('Resume…');
  await tab.press('Resume');
  await tab.notice('Key resumed.');
  expect(await statusOf(token)).toBe(200);

  // The button "Suspend…" replaces the button "Resume…", which moves the buttons next to it.
  await page.getByRole('button', { name: 'Suspend…' }).waitFor();
  await tab.press('Rotate…');
  await field('Current tokens expire').selectOption('0');
  await tab.press('Create new token');
  const renewed = await tab.takeToken();
  expect([await statusOf(token), await statusOf(renewed)]).toEqual([401, 200]);
  await tab.press('Revoke…');
  await tab.press('Revoke the key');
  await tab.notice('Key revoked.');
  expect(await statusOf(renewed)).toBe(401);
  await page.getByRole('group', { name: 'Actions' }).waitFor({ state: 'detached' });
  await tab.show('#/audit?search=public+repository');
  await tab.rows('Audit log').filter({ hasText: 'acme' }).waitFor();

  // The same name in a different letter case would be another account. So the first attempt only
  // shows a warning.
  await tab.show('#/new-key');
  await field('Name').fill('other');
  await field('Account').fill('c-18');
  await tab.press('Create key');
  await page
    .getByText('The account C-18 already exists. Account names are case-sensitive')
    .waitFor();
  await tab.press('Create key');
  await tab.takeToken();
}
