import type { ComponentChildren } from 'preact';
import {
  type PageName,
  type ParameterName,
  type Parameters,
  useAllParameters,
} from '../../address.ts';
import { type Answer, callForAll, type Input, type List } from '../../api/call-admin-api.ts';
import { useAdmin } from '../../api/use-admin.ts';
import { NoMatch } from '../empty.tsx';
import { Loaded } from '../loaded.tsx';
import { type CsvColumns, toCsv } from './csv.ts';
import { CsvButton } from './csv-button.tsx';
import { Filters } from './filters.tsx';
import { Pager } from './pager.tsx';

/** The parameters of a list in the address of its page. */
export type ListQuery = Parameters;

const pageSize = '50';

/**
 * The filters for which the service must read all rows of the list to count the matching ones. With
 * such a filter, counting is slow.
 */
const costly: readonly ParameterName[] = ['search', 'plan', 'nearLimit', 'expiresWithinDays'];

/**
 * A page with a list. The parameters of the address filter the list, and a button saves the whole
 * list as a CSV file.
 */
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
  none,
}: {
  page: PageName;
  title: string;
  /** The plural name of the rows, such as "keys". */
  rows: string;
  list: Name;
  /** Converts the parameters of the address to the query of the request. */
  ask?: (query: ListQuery) => Readonly<Record<string, string | undefined>>;
  /** The columns of the CSV file. */
  columns: CsvColumns<Answer<Name>[number]>;
  button?: ComponentChildren;
  /** The fields that filter the list. */
  fields: ComponentChildren;
  /**
   * Creates the table with the rows.
   *
   * @param subject a text that identifies the list, such as its filters.
   */
  table: (rows: Answer<Name>, subject: string) => ComponentChildren;
  /** The content of the page when the list is empty. */
  none: ComponentChildren;
}) {
  const query = useAllParameters();
  const isCounted = !costly.some((name) => name in query);
  const listQuery = { ...ask(query), ...(isCounted && { count: 'true' }), limit: pageSize };
  const listing = useAdmin(list, { query: listQuery as Input<Name>['query'] });
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
      <Loaded query={listing} what={`the ${title.toLowerCase()}`}>
        {({ body, nextCursor, total, subject }) => (
          <>
            {body.length > 0 ? (
              table(body, subject)
            ) : Object.keys(query).length === 0 ? (
              none
            ) : (
              <NoMatch page={page} rows={rows} />
            )}
            <Pager nextCursor={nextCursor} total={total} />
          </>
        )}
      </Loaded>
    </>
  );
}
