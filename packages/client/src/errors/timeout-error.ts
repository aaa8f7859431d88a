import { ConnectionError } from './connection-error.ts';

/** No complete answer arrived within `timeoutMs`. The service may have done what was asked. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError' as const;
}
