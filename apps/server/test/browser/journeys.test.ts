import { docsPaths, guidePath } from '@animal-store/docs';
import { describe, test } from 'vitest';
import { tourConsole } from '../support/tour-console.ts';
import { useConsole } from '../support/use-console.ts';
import { findKeys } from './journeys/find-keys.ts';
import { viewLastWeek } from './journeys/last-week.ts';
import { useKeyboard } from './journeys/many-keys.ts';
import { manageKey } from './journeys/one-key.ts';
import { manageOperators } from './journeys/operators.ts';
import { chooseView } from './journeys/own-view.ts';
import {
  desktop,
  expectReadable,
  followLinks,
  phone,
  readOnWideScreen,
  readWithoutJavaScript,
  searchDocs,
  tryOut,
} from './journeys/read-docs.ts';
import { changeAccount, explainDenials } from './journeys/refused-customer.ts';
import { keepConsoleOpen, signIn } from './journeys/sign-in.ts';

/**
 * The service and the browser that all journeys share. Each journey creates its own API keys,
 * accounts and operators.
 */
const store = useConsole();

describe("the operators' console in a browser", () => {
  test('an operator logs in with several tabs, logs in again without losing input, and logs out of all tabs', () =>
    signIn(store));
  test('an operator leaves the console open: it sends few requests and survives an outage of the service', () =>
    keepConsoleOpen(store));
  test('an operator creates other operators, finds the operator of a leaked token, and revokes that operator', () =>
    manageOperators(store));
  test('an operator creates an API key for a customer, changes it, and revokes it after a leak', () =>
    manageKey(store));
  test('an operator finds an API key among many by sorting, filters and search', () =>
    findKeys(store));
  test('an operator changes several API keys in one step, with the keyboard only', () =>
    useKeyboard(store));
  test('an operator finds out why the customer C-5 gets 429, and fixes the cause', () =>
    explainDenials(store));
  test('an operator changes the plan of an account, suspends the account, and writes a letter to the customer', () =>
    changeAccount(store));
  test('an operator looks at the requests of a day last week, and a colleague sees the same page', () =>
    viewLastWeek(store));
  test('an operator chooses the theme and the density of tables, and every name is shown as plain text', () =>
    chooseView(store));
  // The campaign (long test) `screens` tests the pages at all widths and in all themes.
  test('an operator sees every page on a laptop and on a phone', () =>
    tourConsole(store, { widths: [1280, 360], judged: { 360: 'dark' }, judgedWhenOpen: [] }));
});

describe('the documentation in a browser', () => {
  test('a developer finds an error code and a code sample with the keyboard', () =>
    searchDocs(store));
  test('a developer follows links, sees code samples beside the text, and uses the table of contents on a desktop', async () => {
    await followLinks(store, desktop);
    await readOnWideScreen(store);
  });
  test('a developer follows links, reads guides, and sends a request to each operation on a phone', async () => {
    await followLinks(store, phone);
    await expectReadable(store, phone, [docsPaths.home, guidePath('pagination'), '/docs/nosuch']);
    await tryOut(store);
  });
  test('a developer opens old links, reads pages without JavaScript, and reads them on a slow network', () =>
    readWithoutJavaScript(store));
});
