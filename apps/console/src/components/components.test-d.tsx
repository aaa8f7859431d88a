// Each line below must fail to compile. `npm run typecheck` fails if one of them compiles.

import { linkTo } from '../address.ts';
import { useAdmin } from '../api/use-admin.ts';
import { Badge } from './badge.tsx';
import { Field } from './form/form.tsx';
import { Table } from './table/table.tsx';

export const faults = () => [
  // @ts-expect-error: no tone has this name
  <Badge tone="god" text="active" />,
  // @ts-expect-error: a badge has a text
  <Badge tone="good" />,
  // @ts-expect-error: a misspelt property
  <Table caption="Keys" columns={['Name']} row={[]} />,
  // @ts-expect-error: a misspelt handler of an element
  <button type="button" onClik={() => {}} />,
  // @ts-expect-error: no input has this type
  <Field label="Expires" type="datetime" />,
  // @ts-expect-error: no page has this name
  linkTo('kyes'),
  // @ts-expect-error: the page has no such parameter
  linkTo('keys', { query: { acount: 'C-5' } }),
  // @ts-expect-error: no operation has this name
  () => useAdmin('listKey'),
  // @ts-expect-error: the operation has no such parameter
  () => useAdmin('listKeys', { query: { acount: 'C-5' } }),
];
