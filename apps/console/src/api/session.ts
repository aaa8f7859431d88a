import type { IssuedSession } from '@animal-store/admin-contract';
import { signal } from '@preact/signals';
import type { Operation } from './operation.ts';

/**
 * The name of the entry in `sessionStorage` that contains the session. The entry survives a reload,
 * and the browser deletes it when the tab is closed.
 */
const storageName = 'animal-store-session';

/** The session of the operator in this tab; `undefined` while nobody is logged in. */
export const session = signal<IssuedSession | undefined>(undefined);

/**
 * Whether the session has expired. The page stays open behind the login dialog, so that the
 * operator does not lose any input.
 */
export const isExpired = signal(false);

/** The reason why the session ended. The login page shows it. */
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

/** Marks the session as expired, because the service no longer accepts it. */
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

/**
 * Returns whether the operator's role allows an operation. The console hides operations that are
 * not allowed.
 */
export function may(operation: Operation): boolean {
  return session.value?.session.operations.includes(operation) === true;
}
