import { NewPet } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { refuseMisspelt } from './misspelt-names.ts';
import { petContract } from './served-pet-contract.ts';

const query = petContract.listPets.query['~standard'];

test.each([
  ['ids', 'ids[] ids[0] ids[a][b] Ids IDS ids. ids.0 ids1 _ids id id[] i-d-s petIds animal_id[]'],
  ['status', 'Status status[] status[eq] sta_tus status%20 statuses[] petStatus'],
  ['status', 'filter[status] filter[status][eq] filter.status a[b][statuses]'],
  ['categoryId', 'category_id category-id categoryid categoryIds category.id[]'],
  ['categoryId', 'category categories category[] Categories[0] category[id] filter[categoryId]'],
  ['limit', 'Limit limits limit[lt] page[limit]'],
  ['cursor', 'CURSOR cursor[] cursors page[cursor]'],
])(
  'refuseMisspelt refuses query parameters whose names are similar to the parameter %s: %s',
  async (meant, names) => {
    const howToSend = meant === 'ids' ? ': send ids=5,11 or ids=5&ids=11' : '';
    const message = `expected exactly this name${howToSend}`;
    for (const name of names.split(' ')) {
      const fault = { path: [meant], message, input: name };
      expect(await query.validate({ [name]: '1' })).toEqual({ issues: [fault] });
    }
  },
);

test('refuseMisspelt accepts unknown parameters whose names are not similar to a known name', async () => {
  const given = { page: '2', 'page[size]': '2', x: '1', '': '', '[]': '', pets: '3', статус: '1' };
  expect(await query.validate({ limit: '5', ...given })).toEqual({ value: { limit: 5 } });
});

test.each([
  // A property with a misspelt name is not also reported as missing.
  [{ name: '', category_id: 3, Status: 'sold' }, ['categoryId', 'status', 'name']],
  [{ name: 'Mia', categoryId: 3, category: 'Dogs', categories: [] }, undefined],
  [[], [undefined]],
])(
  'refuseMisspelt reports misspelt names together with the other faults of the body %j',
  async (body, names) => {
    const { issues } = await refuseMisspelt(NewPet)['~standard'].validate(body);
    expect(issues?.map(({ path }) => path?.[0])).toEqual(names);
  },
);

test.each([
  ['ignores 100 unknown names', 100, undefined],
  ['reports 101 unknown names as a single fault', 101, 101],
])('refuseMisspelt accepts at most 100 unknown names: it %s', async (_, count, given) => {
  const entries = Array.from({ length: count }, (_, n) => [`x${n}`, '1']);
  const result = await query.validate(Object.fromEntries(entries));
  const message = 'expected at most 100 parameters or properties';
  const fault = given && [{ path: [], message, input: given }];
  expect(result.issues).toEqual(fault);
});
