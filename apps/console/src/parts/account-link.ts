import { html } from 'htm/preact';
import { linkInTime } from '../time-range.ts';
import { Name } from './name.ts';

export function AccountLink({ account }: { account: string | null }) {
  if (account === null) return html`<span class="missing">–</span>`;
  return html`<a href=${linkInTime('account', { id: account })}><${Name} text=${account} /></a>`;
}
