import { escapeUnprintable } from '../shared/escape-unprintable.ts';
import type { AdminClient } from './admin-client.ts';
import type { CliOutput } from './create-program.ts';

/** Warns before an account is created whose name differs from that of another in letter case only. */
export async function warnOfAlikeAccounts(
  client: AdminClient,
  given: string | null | undefined,
  { err }: Pick<CliOutput, 'err'>,
): Promise<void> {
  const name = given?.normalize('NFC').trim();
  if (!name) return;
  const { status, body } = await client.listAccounts({ query: { anyCaseOf: name } });
  // The creation will be refused, too, and say why.
  if (status !== 200) return;
  const alike = body.map(({ account }) => account);
  if (alike.length === 0 || alike.includes(name)) return;
  const names = alike.map((account) => escapeUnprintable(JSON.stringify(account))).join(', ');
  err(`Warning: letter case matters: there is already the account ${names}.\n`);
}
