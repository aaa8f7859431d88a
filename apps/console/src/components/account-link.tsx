import { Name } from './name.tsx';
import { linkWithPeriod } from './time/time-range.ts';

export function AccountLink({ account }: { account: string | null }) {
  if (account === null) return <span class="missing">–</span>;
  return (
    <a href={linkWithPeriod('account', { id: account })}>
      <Name text={account} />
    </a>
  );
}
