import { test } from 'vitest';
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
