import { tidyAccountName } from '@animal-store/admin-contract/account-name';
import { call } from '../../api/call-admin-api.ts';
import { RefusedRequest } from '../../api/failures.ts';

/**
 * The account names that the operator has already been warned about. If the operator submits one of
 * these names again, the account is created.
 */
const warned = new Set<string>();

/**
 * Warns the operator before a new account is created if its name differs from an existing one only
 * in letter case.
 *
 * @throws {Error} the warning, the first time that the operator enters the name.
 */
export async function confirmSimilarAccount(typed: string | null | undefined): Promise<void> {
  const name = tidyAccountName(typed ?? '');
  if (!name || warned.has(name)) return;
  const accounts = await call('listAccounts', { query: { anyCaseOf: name } }).catch((error) => {
    // The error of the search is ignored. For example, if the name is invalid, the service also
    // refuses the change itself, and the form shows the error at the field.
    if (error instanceof RefusedRequest) return [];
    throw error;
  });
  const similar = accounts.map(({ account }) => account);
  if (similar.length === 0 || similar.includes(name)) return;
  warned.add(name);
  throw new Error(
    `${similar.length === 1 ? `The account ${similar[0]} already exists` : `The accounts ${similar.join(', ')} already exist`}. Account names are case-sensitive: ${name} would be a new account with its own quota. Confirm again to create it.`,
  );
}
