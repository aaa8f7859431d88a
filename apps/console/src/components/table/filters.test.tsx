// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderAt } from '../../../test/render-at.tsx';
import { Filters } from './filters.tsx';
import { QueryField, QuerySelect } from './query-fields.tsx';
import { readSearchTerm } from './search-term.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const type = (label: string, value: string) =>
  fireEvent.input(screen.getByLabelText(label), { target: { value } });

const pass = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms);
  });

function renderFilters(link: string): void {
  renderAt(
    link,
    <Filters label="Keys">
      <QueryField name="search" label="Name" read={readSearchTerm} />
      <QuerySelect name="state" label="State" options={[['banned', 'banned']]} />
    </Filters>,
  );
}

test('the button "Filters" hides all fields except the first one, even when a page passes its fields in a JSX fragment', () => {
  const fields = (
    <>
      <QueryField name="search" label="Name" />
      <QueryField name="account" label="Account" />
    </>
  );
  renderAt('#/keys', <Filters label="Keys">{fields}</Filters>);
  const [name, fold, account] = screen.getByRole('search').children;
  expect(fold).toBe(screen.getByRole('button', { name: 'Filters' }));
  expect([name?.textContent, account?.textContent]).toEqual(['Name', 'Account']);
});

test('a search field writes its text into the URL after a pause in typing, and returns to the first page of the list', () => {
  renderFilters('#/keys?state=banned&cursor=abc');
  type('Name', 'Ann ');
  pass(299);
  expect(location.hash).toBe('#/keys?state=banned&cursor=abc');
  pass(300);
  expect(location.hash).toBe('#/keys?state=banned&search=Ann');
  // The field keeps the trailing space, because the operator may continue to type.
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Ann ');
});

test('the search field writes only the first characters of a token into the URL when the operator types a whole token', () => {
  renderFilters('#/keys');
  type('Name', 'ast_abcd1234');
  pass(300);
  expect(location.hash).toBe('#/keys?search=ast_abcd');
  expect(screen.getByRole('status').textContent).toContain('The rest is not sent');
});

test('a select field writes its choice into the URL, and removes the parameter from the URL when nothing is chosen', () => {
  renderFilters('#/keys?search=50%25+%26+more');
  const state = screen.getByLabelText('State');
  fireEvent.change(state, { target: { value: 'banned' } });
  expect(location.hash).toBe('#/keys?search=50%25+%26+more&state=banned');
  fireEvent.change(state, { target: { value: '' } });
  expect(location.hash).toBe('#/keys?search=50%25+%26+more');
});

test('filter fields show the parameters of the URL, and the button "Filters" shows how many filters are active', () => {
  renderFilters('#/keys?search=Ann&state=banned&sort=name&cursor=abc');
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Ann');
  expect(screen.getByLabelText<HTMLSelectElement>('State').value).toBe('banned');
  const fold = screen.getByRole('button', { name: 'Filters (2)' });
  expect(fold.getAttribute('aria-expanded')).toBe('false');
  fireEvent.click(fold);
  expect(fold.getAttribute('aria-expanded')).toBe('true');
});
