import { expect, test } from 'vitest';
import { openTab } from '../support/browser.ts';
import { execute } from '../support/run-command.ts';
import { useConsole } from '../support/use-console.ts';
import { manageOperators } from './journeys/operators.ts';
import { keepConsoleOpen, signIn } from './journeys/sign-in.ts';

/**
 * The service and the browser that the tests of this file share. Each journey (a test in the
 * browser) creates its own accounts and operators.
 */
const store = useConsole();

test('an operator logs in with several tabs, logs in again without losing input, and logs out of all tabs', () =>
  signIn(store));

test('while an operator leaves the console open, the console sends few requests, and works again after an outage of the service', () =>
  keepConsoleOpen(store));

test('an operator creates other operators, finds the operator of a leaked token, and revokes that operator', () =>
  manageOperators(store));

// Regression: the page named `npm run keys -- help`, which is not a command.
test('without JavaScript, the console names a command that shows how to use the commands', async () => {
  const { browser, service } = store;
  const options = { javaScriptEnabled: false };
  await using tab = await openTab(browser, `${service.server.opsUrl}/console`, options);
  const text = await tab.page.locator('body').textContent();
  const words = /npm run (.+)\s*$/.exec(text ?? '')?.[1]?.split(' ') ?? expect.unreachable();
  const { code, stdout } = await execute('npm', ['run', '--silent', ...words], {});
  expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: npm run keys --')]);
});
