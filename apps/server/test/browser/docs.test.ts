import { docsPaths, guidePath } from '@animal-store/docs';
import { test } from 'vitest';
import { useConsole } from '../support/use-console.ts';
import {
  desktop,
  expectReadable,
  followLinks,
  phone,
  readOnWideScreen,
  readWithoutJavaScript,
  returnToPlace,
  searchDocs,
  tryBrokenHeaders,
  tryOut,
} from './journeys/read-docs.ts';

/** The service and the browser that the tests of this file share. */
const store = useConsole();

test('a developer finds an error code and a code sample with the keyboard', () =>
  searchDocs(store));

test('on a desktop, a developer follows links, sees code samples next to the text, and uses the table of contents', async () => {
  await followLinks(store, desktop);
  await readOnWideScreen(store);
});

test('on a phone, a developer follows links, reads guides, and sends a request to each operation', async () => {
  await followLinks(store, phone);
  await expectReadable(store, phone, [docsPaths.home, guidePath('pagination'), '/docs/nosuch']);
  await tryOut(store);
});

// Regression: the page showed "No response: Failed to execute 'fetch'", like during an outage.
test('the form of an operation names the field with a character that a header cannot contain', () =>
  tryBrokenHeaders(store));

// Regression: the browser laid out only the operations near the visible part of the page. After a
// reload, the page showed another operation than before.
test.each([
  ['a desktop', desktop],
  ['a phone', phone],
])(
  'on %s, a page of the documentation shows the same text after a reload and after the Back button of the browser',
  (_title, device) => returnToPlace(store, device),
);

test('a developer opens old links, reads pages without JavaScript, and reads pages on a slow network', () =>
  readWithoutJavaScript(store));
