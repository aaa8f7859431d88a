import {
  type AuditEntry,
  adminContract,
  type LedgerOfKey,
  type ListedAccount,
  type ListedKey,
  type ServiceLedger,
} from '@animal-store/contract/admin';
import { initContract } from '@ts-rest/core';
import type { WrittenBody } from '../http/written-body.ts';

const c = initContract();
const { getKeyUsage, getUsage, listKeys, listAccounts, listAuditEntries } = adminContract;

/** The operations whose clients may prefer CSV, as they are implemented here. */
export const csvContract = {
  getKeyUsage: {
    ...getKeyUsage,
    responses: { ...getKeyUsage.responses, 200: c.type<LedgerOfKey | WrittenBody>() },
  },
  getUsage: {
    ...getUsage,
    responses: { ...getUsage.responses, 200: c.type<ServiceLedger | WrittenBody>() },
  },
  listKeys: {
    ...listKeys,
    responses: { ...listKeys.responses, 200: c.type<ListedKey[] | WrittenBody>() },
  },
  listAccounts: {
    ...listAccounts,
    responses: { ...listAccounts.responses, 200: c.type<ListedAccount[] | WrittenBody>() },
  },
  listAuditEntries: {
    ...listAuditEntries,
    responses: { ...listAuditEntries.responses, 200: c.type<AuditEntry[] | WrittenBody>() },
  },
};
