import type { KeyDetails } from '@animal-store/admin-contract';
import { CopyButton } from '../../components/copy-button.tsx';
import { Table } from '../../components/table/table.tsx';
import { CellTime } from '../../components/time/time.tsx';

/** Lists the valid tokens of the key. */
export function Tokens({ details: { tokens, state } }: { details: KeyDetails }) {
  return (
    <section>
      <h2>Tokens</h2>
      <Table
        isWide
        caption="Tokens"
        columns={['Prefix', 'Created', 'Expires']}
        rows={tokens.map(({ prefix, createdAt, expiresAt }) => ({
          key: prefix + createdAt,
          cells: [
            <>
              <code>{prefix}</code> <CopyButton text={prefix} what="the token prefix" />
            </>,
            <CellTime at={createdAt} />,
            expiresAt === null ? 'with the key' : <CellTime at={expiresAt} />,
          ],
        }))}
        empty="No valid tokens."
      />
      {state !== 'active' && <p class="muted">The key is {state}, so its tokens are rejected.</p>}
    </section>
  );
}
