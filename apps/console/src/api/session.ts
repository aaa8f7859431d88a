import type { IssuedSession } from '@animal-store/admin-contract';
import { signal } from '@preact/signals';
import type { Operation } from './operation.ts';

/** The storage of the session: it survives a reload, and ends with the tab. */
const storageName = 'animal-store-session';

/** The session of this tab; `undefined` before login. */
export const session = signal<IssuedSession | undefined>(undefined);

/**
 * Whether the session has ended by itself. The page stays behind the login dialog, so that the
 * operator's input is not lost.
 */
export const isExpired = signal(false);

/** Why there is no session any more, for the login page. */
export const sessionEnd = signal<string | undefined>(undefined);

/** Restores the session that this tab had before a reload. */
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

/** Records that the service no longer accepts the session. */
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

/** Returns whether the operator may use an operation. The console hides other operations. */
export function may(operation: Operation): boolean {
  return session.value?.session.operations.includes(operation) === true;
}
