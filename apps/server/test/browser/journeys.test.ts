import { docsPaths, guidePath } from '@animal-store/docs';
import { describe, test } from 'vitest';
import { tourConsole } from '../support/tour-console.ts';
import { useConsole } from '../support/use-console.ts';
import { findKeys } from './journeys/find-keys.ts';
import { lookBack } from './journeys/last-week.ts';
import { useKeyboard } from './journeys/many-keys.ts';
import { lookAfterKey } from './journeys/one-key.ts';
import { manageOperators } from './journeys/operators.ts';
import { chooseView } from './journeys/own-view.ts';
import {
  desktop,
  expectReadable,
  followLinks,
  phone,
  readBeside,
  readWithLess,
  searchDocs,
  tryOut,
} from './journeys/read-docs.ts';
import { answerCustomer, changeAccount } from './journeys/refused-customer.ts';
import { leaveOpen, signIn } from './journeys/sign-in.ts';

/**
 * The service and the browser that all journeys share. Each journey creates its own keys, accounts
 * and operators.
 */
const store = useConsole();

describe('an operator', () => {
  test('logs in with several tabs, logs in again without losing input, and logs out of all tabs', () =>
    signIn(store));
  test('leaves the console open, which sends few requests and survives an outage of the service', () =>
    leaveOpen(store));
  test('gives tokens to other operators, finds the operator of a token, and revokes it', () =>
    manageOperators(store));
  test('creates a key, hands it over, changes it, and revokes it after a leak', () =>
    lookAfterKey(store));
  test('finds a key among many by sorting, filters and search', () => findKeys(store));
  test('changes several keys at once without a mouse', () => useKeyboard(store));
  test('finds out why C-5 gets 429, and fixes it', () => answerCustomer(store));
  test('changes the plan of an account, suspends it, and writes a letter to the customer', () =>
    changeAccount(store));
  test('looks at a day of last week together with a colleague', () => lookBack(store));
  test("chooses the console's theme and density, and reads any name as text", () =>
    chooseView(store));
  // The campaign `screens` tests the pages at all widths and in all themes.
  test('sees every page on a laptop and a phone', () =>
    tourConsole(store, { widths: [1280, 360], judged: { 360: 'dark' }, judgedWhenOpen: [] }));
});

describe('an integrator', () => {
  test('finds an error and a sample with the keyboard', () => searchDocs(store));
  test('sees samples beside the text, and uses the contents of a page', () => readBeside(store));
  test('follows links', () => followLinks(store, desktop));
  test('follows links, reads, and tries each operation on a phone', async () => {
    await followLinks(store, phone);
    await expectReadable(store, phone, [docsPaths.home, guidePath('pagination'), '/docs/nosuch']);
    await tryOut(store);
  });
  test('opens old links without JavaScript on a slow network', () => readWithLess(store));
});
