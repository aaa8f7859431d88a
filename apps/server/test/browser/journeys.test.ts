import { describe, test } from 'vitest';
import { docsPaths, guidePath } from '../../src/reference/docs-pages.ts';
import { tourConsole } from '../support/tour-console.ts';
import { useConsole } from '../support/use-console.ts';
import { search, sortAndFilter } from './journeys/find-keys.ts';
import { lookBack, zoomIn } from './journeys/last-week.ts';
import { changeManyKeys, useKeyboard } from './journeys/many-keys.ts';
import { createKey, stopLeakedKey } from './journeys/one-key.ts';
import { manageOperators } from './journeys/operators.ts';
import { chooseView, showNames, waitForNews } from './journeys/own-view.ts';
import {
  desktop,
  expectReadable,
  followLinks,
  phone,
  readWithLess,
  searchDocs,
  tryOut,
} from './journeys/read-docs.ts';
import {
  changeAccount,
  giveBackQuota,
  unbanKey,
  writeLetter,
} from './journeys/refused-customer.ts';
import { leaveOpen, signIn, signInAgain } from './journeys/sign-in.ts';

/** One service and one browser for all. Each journey has keys, accounts and operators of its own. */
const store = useConsole();

describe('an operator', () => {
  test('signs in, in several tabs, and out of all', () => signIn(store));
  test('signs in again, and loses nothing that was typed', () => signInAgain(store));
  test('leaves the console open, while the service goes away and comes back', () =>
    leaveOpen(store));
  test('gives others tokens, finds whose one is, and takes it away', () => manageOperators(store));
  test('creates a key, hands it over, and changes it', () => createKey(store));
  test('stops a leaked key, and sees that it is still tried', () => stopLeakedKey(store));
  test('finds a key among many by sorting and filters', () => sortAndFilter(store));
  test('finds keys and accounts by one search', () => search(store));
  test('changes several keys at once', () => changeManyKeys(store));
  test('needs no mouse', () => useKeyboard(store));
  test('answers "C-5 gets 429", and mends it', () => giveBackQuota(store));
  test('finds out why a key is banned, and unbans it', () => unbanKey(store));
  test('changes the plan of an account, and suspends it', () => changeAccount(store));
  test('who may only look writes the customer a letter', () => writeLetter(store));
  test('looks at a day of last week, with a colleague', () => lookBack(store));
  test('zooms into a plot', () => zoomIn(store));
  test('reads any name as text', () => showNames(store));
  test('chooses how the console looks', () => chooseView(store));
  test('waits for news, which is asked for seldom', () => waitForNews(store));
  // The campaign `screens` has all widths and themes.
  test('sees every page on a laptop and a phone', () =>
    tourConsole(store, { widths: [1280, 360], judged: { 360: 'dark' }, judgedWhenOpen: [] }));
});

describe('an integrator', () => {
  test('finds an error and a sample by keyboard', () => searchDocs(store));
  test('follows links', () => followLinks(store, desktop));
  test('follows links on a phone', () => followLinks(store, phone));
  test('reads the guides on a phone', () =>
    expectReadable(store, phone, [docsPaths.home, guidePath('pagination'), '/docs/nosuch']));
  test('tries each operation', () => tryOut(store));
  test('comes by old links, without JavaScript, on a slow network', () => readWithLess(store));
});
