import { test } from 'vitest';
import { tourConsole } from '../support/tour-console.ts';
import { useConsole } from '../support/use-console.ts';
import { viewLastWeek } from './journeys/last-week.ts';
import { chooseView } from './journeys/own-view.ts';

/**
 * The service and the browser that the tests of this file share. Each journey (a test in the
 * browser) creates its own accounts and operators.
 */
const store = useConsole();

test('an operator views the requests of a day last week, and a colleague who opens the same address sees the same page', () =>
  viewLastWeek(store));

test('an operator chooses the theme and the density of tables, and every name is shown as plain text', () =>
  chooseView(store));

// The campaign (long test) `screens` tests the pages at all widths and in all themes.
test('an operator sees every page on a laptop and on a phone', () =>
  tourConsole(store, { widths: [1280, 360], judged: { 360: 'dark' }, judgedWhenOpen: [] }));
