import { linkInTime } from '../time-range.ts';
import { Name } from './name.tsx';

export function AccountLink({ account }: { account: string | null }) {
  if (account === null) return <span class="missing">–</span>;
  return (
    <a href={linkInTime('account', { id: account })}>
      <Name text={account} />
    </a>
  );
}
