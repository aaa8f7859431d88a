import type { IssuedSession } from '@animal-store/admin-contract';
import { signal } from '@preact/signals';
import type { Operation } from './operation.ts';

/** Where the session is kept: a reload keeps it, and it is gone with the tab. */
const storageName = 'animal-store-session';

/** The session of this tab; `undefined` before login. */
export const session = signal<IssuedSession | undefined>(undefined);

/**
 * Whether the session has ended by itself. Its page stays behind the question for a token, so that nothing
 * that was typed is lost.
 */
export const isExpired = signal(false);

/** Why there is no session any more, for the page that asks for a token. */
export const sessionEnd = signal<string | undefined>(undefined);

/** Goes on with the session that this tab had before it was reloaded. */
export function restoreSession(): void {
  const text = sessionStorage.getItem(storageName);
  if (text !== null) session.value = JSON.parse(text);
}

export function beginSession(issued: IssuedSession): void {
  sessionStorage.setItem(storageName, JSON.stringify(issued));
  sessionEnd.value = undefined;
  session.value = issued;
  isExpired.value = false;
}

/** Notes that the service does not accept the session any more. */
export function expireSession(): void {
  sessionStorage.removeItem(storageName);
  sessionEnd.value =
    'Your session has ended: it expired, or its operator was revoked. Log in again to continue. What you typed is still here.';
  isExpired.value = true;
}

export function endSession(reason?: string): void {
  sessionStorage.removeItem(storageName);
  sessionEnd.value = reason;
  session.value = undefined;
  isExpired.value = false;
}

/** Whether the operator may use an operation: what would be refused is not offered. */
export function may(operation: Operation): boolean {
  return session.value?.session.operations.includes(operation) === true;
}
