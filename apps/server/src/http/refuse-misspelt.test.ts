import { ListPetsQuery, NewPet } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { refuseMisspelt } from './refuse-misspelt.ts';

const query = refuseMisspelt(ListPetsQuery)['~standard'];

test.each([
  ['ids', 'ids[] ids[0] ids[a][b] Ids IDS ids. ids.0 ids1 _ids id id[] i-d-s'],
  ['status', 'Status STATUS status[] status[eq] sta_tus status%20'],
  ['categoryId', 'category_id category-id categoryid CategoryID categoryIds category.id[]'],
  ['limit', 'Limit limits limit[lt]'],
  ['cursor', 'CURSOR cursor[]'],
])('names that look like %s are refused: %s', async (meant, names) => {
  for (const name of names.split(' ')) {
    const fault = { path: [meant], message: 'expected under exactly this name', input: name };
    expect(await query.validate({ [name]: '1' })).toEqual({ issues: [fault] });
  }
});

test('other unknown names are ignored', async () => {
  const given = { page: '2', x: '1', '': '', '[]': '', category: '3', статус: '1' };
  expect(await query.validate({ limit: '5', ...given })).toEqual({ value: { limit: 5 } });
});

test('all faults are told, but not also that what was misspelt is missing', async () => {
  const body = refuseMisspelt(NewPet)['~standard'];
  expect(await body.validate({ name: '', category_id: 3, Status: 'sold' })).toMatchObject({
    issues: [{ path: ['categoryId'] }, { path: ['status'] }, { path: ['name'] }],
  });
  expect(await body.validate([])).toMatchObject({ issues: [{ path: [] }] });
});
