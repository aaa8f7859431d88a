import { tidyAccountName } from '@animal-store/admin-contract/account-name';
import { call } from '../../api/call-admin-api.ts';
import { RefusedRequest } from '../../api/failures.ts';

/** The names that the operator was warned about. A second confirmation creates the account. */
const warned = new Set<string>();

/**
 * Warns before an account is created whose name differs from another one only in letter case.
 *
 * @throws the warning, the first time.
 */
export async function confirmAlikeAccount(given: string | null | undefined): Promise<void> {
  const name = tidyAccountName(given ?? '');
  if (!name || warned.has(name)) return;
  const accounts = await call('listAccounts', { query: { anyCaseOf: name } }).catch((error) => {
    // The creation will be refused, too, and report the reason at its field.
    if (error instanceof RefusedRequest) return [];
    throw error;
  });
  const alike = accounts.map(({ account }) => account);
  if (alike.length === 0 || alike.includes(name)) return;
  warned.add(name);
  throw new Error(
    `The account ${alike.join(', ')} already exists. Account names are case-sensitive: ${name} would be a new account with its own quota. Confirm again to create it.`,
  );
}
