import { Name } from './name.tsx';
import { linkInTime } from './time/time-range.ts';

export function AccountLink({ account }: { account: string | null }) {
  if (account === null) return <span class="missing">–</span>;
  return (
    <a href={linkInTime('account', { id: account })}>
      <Name text={account} />
    </a>
  );
}
