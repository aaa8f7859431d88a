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

/** One service and one browser for all. Each journey has keys, accounts and operators of its own. */
const store = useConsole();

describe('an operator', () => {
  test('signs in, in several tabs, again without losing a word, and out of all', () =>
    signIn(store));
  test('leaves the console open, which asks for little, while the service goes away and comes back', () =>
    leaveOpen(store));
  test('gives others tokens, finds whose one is, and takes it away', () => manageOperators(store));
  test('creates a key, hands it over, changes it, and stops it when it leaks', () =>
    lookAfterKey(store));
  test('finds a key among many by sorting, filters and a search', () => findKeys(store));
  test('changes several keys at once, without a mouse', () => useKeyboard(store));
  test('answers "C-5 gets 429", and mends it', () => answerCustomer(store));
  test('changes the plan of an account, suspends it, and writes it a letter', () =>
    changeAccount(store));
  test('looks at a day of last week, with a colleague', () => lookBack(store));
  test('chooses how the console looks, and reads any name as text', () => chooseView(store));
  // The campaign `screens` has all widths and themes.
  test('sees every page on a laptop and a phone', () =>
    tourConsole(store, { widths: [1280, 360], judged: { 360: 'dark' }, judgedWhenOpen: [] }));
});

describe('an integrator', () => {
  test('finds an error and a sample by keyboard', () => searchDocs(store));
  test('sees samples beside the text, and jumps by the contents of a page', () =>
    readBeside(store));
  test('follows links', () => followLinks(store, desktop));
  test('follows links, reads and tries each operation on a phone', async () => {
    await followLinks(store, phone);
    await expectReadable(store, phone, [docsPaths.home, guidePath('pagination'), '/docs/nosuch']);
    await tryOut(store);
  });
  test('comes by old links, without JavaScript, on a slow network', () => readWithLess(store));
});
