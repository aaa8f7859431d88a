// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, within } from '@testing-library/preact';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Table } from './table.tsx';

afterEach(cleanup);

const columns = [
  { title: 'Name', sort: 'name' },
  { number: 'Requests', sort: '-requests', isOneWay: true },
] as const;
const rows = [
  { key: 'a', cells: [<a href="#/key/a">Ann</a>, '1,000'] },
  { key: 'b', cells: [<a href="#/key/b">Bob</a>, '20'] },
];

describe('the header of a sortable column', () => {
  test.each([
    ['name', 'Name', 'ascending', '-name'],
    ['-name', 'Name', 'descending', 'name'],
    ['name', 'Requests', null, '-requests'],
    // The list is already sorted by this column, so a second click restores the default order.
    ['-requests', 'Requests', 'descending', ''],
  ])(
    'in a list sorted by %j, the column header %s has the `aria-sort` value %s, and a click on the header sorts the list by %j',
    (by, title, order, next) => {
      const change = vi.fn();
      render(<Table caption="Keys" columns={columns} rows={rows} sorting={{ by, change }} />);
      const head = screen.getByRole('columnheader', { name: new RegExp(title) });
      expect(head.getAttribute('aria-sort')).toBe(order);
      fireEvent.click(within(head).getByRole('button'));
      expect(change).toHaveBeenCalledExactlyOnceWith(next);
    },
  );
});

test('a click in a table row opens the link of the row, unless the click is on a button', () => {
  const follow = vi.fn();
  const links = [
    {
      key: 'a',
      cells: [<a href="#/key/a">Ann</a>, <button type="button">Edit</button>],
    },
  ];
  render(<Table caption="Keys" columns={['Name', 'Actions']} rows={links} />);
  screen.getByRole('link').addEventListener('click', follow);
  fireEvent.click(screen.getByRole('button', { name: 'Edit' }));
  expect(follow).not.toHaveBeenCalled();
  fireEvent.click(screen.getAllByRole('cell')[0] ?? expect.unreachable());
  expect(follow).toHaveBeenCalledOnce();
});

test('the checkbox for all rows is indeterminate while some rows are selected, and a click selects all rows', () => {
  const change = vi.fn();
  const selection = { selected: new Set(['a']), change, nameOf: (key: string) => key };
  render(<Table caption="Keys" columns={columns} rows={rows} selection={selection} />);
  const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all rows' });
  expect([all.checked, all.indeterminate]).toEqual([false, true]);
  fireEvent.click(all);
  expect(change).toHaveBeenLastCalledWith(['a', 'b'], true);
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select b' }));
  expect(change).toHaveBeenLastCalledWith(['b'], true);
});

test('a table without rows shows the text for an empty table in one cell across all columns', () => {
  render(<Table caption="Keys" columns={columns} rows={[]} empty="No keys are banned." />);
  expect(screen.getByText('No keys are banned.').getAttribute('colspan')).toBe('2');
});
