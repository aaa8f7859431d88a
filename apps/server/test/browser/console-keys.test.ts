import { test } from 'vitest';
import { useConsole } from '../support/use-console.ts';
import { findKeys } from './journeys/find-keys.ts';
import { useKeyboard } from './journeys/many-keys.ts';
import { manageKey } from './journeys/one-key.ts';
import { changeAccount, explainDenials } from './journeys/refused-customer.ts';

/**
 * The service and the browser that the tests of this file share. Each journey (a test in the
 * browser) creates its own accounts and operators.
 */
const store = useConsole();

test('an operator creates an API key for a customer, changes it, and revokes it after a leak', () =>
  manageKey(store));

test('an operator finds an API key among many by sorting, filters and search', () =>
  findKeys(store));

test('an operator changes several API keys at once, with the keyboard only', () =>
  useKeyboard(store));

test('an operator finds out why the customer C-5 gets 429, and fixes the cause', () =>
  explainDenials(store));

test('an operator changes the plan of an account, suspends the account, and writes a letter to the customer', () =>
  changeAccount(store));
