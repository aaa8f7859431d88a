import type { ComponentChildren } from 'preact';
import { type PageName, type Parameters, useAllParameters } from '../../address.ts';
import { type Answer, callForAll, type Input, type List } from '../../api/call-admin-api.ts';
import { useAdmin } from '../../api/use-admin.ts';
import { NoMatch } from '../empty.tsx';
import { Loaded } from '../loaded.tsx';
import { type CsvColumns, toCsv } from './csv.ts';
import { CsvButton } from './csv-button.tsx';
import { Filters } from './filters.tsx';
import { Pager } from './pager.tsx';

/** What the address says of a list. */
export type ListQuery = Parameters;

const pageSize = '50';

/** Filters for which the service reads all that there is to count what they leave. */
const costly = ['search', 'plan', 'nearLimit', 'expiresWithinDays'];

/** A page with a list, which is narrowed by what is in the address, and can be saved as a whole. */
export function ListPage<Name extends List>({
  page,
  title,
  rows,
  list,
  ask = (query) => query,
  columns,
  button,
  fields,
  table,
  noMatch,
  none,
}: {
  page: PageName;
  title: string;
  /** How its rows are called, such as "keys". */
  rows: string;
  list: Name;
  /** Makes what is asked of what is in the address. */
  ask?: (query: ListQuery) => Readonly<Record<string, string | undefined>>;
  /** The columns of its file. */
  columns: CsvColumns<Answer<Name>[number]>;
  button?: ComponentChildren;
  /** What narrows the list. */
  fields: ComponentChildren;
  /** @param subject what the rows are about, such as their filter. */
  table: (rows: Answer<Name>, subject: string) => ComponentChildren;
  /** What is said if nothing matches, and the link to all. */
  noMatch: { readonly title: string; readonly all: string };
  /** What is said if there is nothing at all. */
  none: ComponentChildren;
}) {
  const query = useAllParameters();
  const isCounted = !costly.some((name) => name in query);
  const asked = { ...ask(query), ...(isCounted && { count: 'true' }), limit: pageSize };
  const listing = useAdmin(list, { query: asked as Input<Name>['query'] });
  return (
    <>
      <div class="title">
        <h1>{title}</h1>
        <CsvButton
          fileName={`${page}.csv`}
          write={async () => toCsv(await callForAll(list, ask(query)), columns)}
          what={`all ${rows} that match`}
        />
        {button}
      </div>
      <Filters label={title}>{fields}</Filters>
      <Loaded of={listing} what={`the ${title.toLowerCase()}`}>
        {({ body, nextCursor, total, subject }) => (
          <>
            {body.length > 0 ? (
              table(body, subject)
            ) : Object.keys(query).length === 0 ? (
              none
            ) : (
              <NoMatch page={page} {...noMatch} />
            )}
            <Pager nextCursor={nextCursor} total={total} />
          </>
        )}
      </Loaded>
    </>
  );
}
