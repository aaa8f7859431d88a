import { toUsageOperation, type UsedRequest } from '../usage/usage-entry.ts';
import type { RequestRecord } from './observe-requests.ts';

/**
 * What the usage ledger counts of a request; `undefined` if nothing. It counts requests that a quota
 * has decided, or that have a valid key. So it counts neither CORS preflights, nor requests refused
 * because of overload, nor those whose key could not be looked up: nobody knows whose they are.
 */
export function toUsedRequest(record: RequestRecord): UsedRequest | undefined {
  const { apiKey: key, decision, operation } = record;
  if (key === undefined && decision === undefined) return undefined;
  return {
    key,
    // Without a key, anybody can call anything: it says nothing about who uses an operation.
    operation: key === undefined ? 'none' : toUsageOperation(operation),
    outcome: outcomeOf(record),
    at: decision?.decidedAtMs ?? Date.now(),
  };
}

function outcomeOf({ errorCode, status }: RequestRecord): UsedRequest['outcome'] {
  if (errorCode === 'key_temporarily_banned') return 'banned';
  if (status === 429) return 'denied';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'ok';
}
