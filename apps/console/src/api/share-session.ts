import type { IssuedSession } from '@animal-store/admin-contract';
import { effect, signal } from '@preact/signals';
import { call } from './call-admin-api.ts';
import { beginSession, endSession, isExpired, session } from './session.ts';

type Message =
  /** A tab has opened, or its session has ended: it asks whether another tab has a session. */
  | { readonly kind: 'wanted'; readonly by: string }
  /** The response to the tab that asked. */
  | { readonly kind: 'session'; readonly issued: IssuedSession; readonly for: string }
  /** An operator has logged in. */
  | { readonly kind: 'logged in'; readonly issued: IssuedSession }
  /** The operator has logged out, in the tab that had this session. */
  | { readonly kind: 'logged out'; readonly token: string | undefined };

/** How long a new tab waits for other tabs before it shows the login page, in milliseconds. */
const waitMs = 250;

/**
 * The channel between the tabs of one browser. Only pages of this origin receive its messages,
 * whatever opened or embeds them, and the origin serves only the console. Messages are not stored,
 * and not written to the disk. So a tab can get the session without a cookie, which browsers would
 * send to every port of the host.
 */
let channel: BroadcastChannel | undefined;

/** Whether this tab still waits for another tab with a session. */
export const isWaiting = signal(false);

/** The name of this tab in the channel. `crypto.randomUUID` only exists in pages over HTTPS. */
const tab = String(Math.random());

const tell = (message: Message) => channel?.postMessage(message);

/** Whether a response is wanted. A response after a logout must not log in again. */
let isWanted = false;

function askOthers(): void {
  isWanted = true;
  tell({ kind: 'wanted', by: tab });
}

/**
 * Tokens that were refused in this tab. Other tabs may still offer them, such as hidden tabs that
 * do not know that their session has ended. Two tabs would try them in turn, until the service
 * blocks the address for guessing tokens.
 */
const refused = new Set<string>();

/**
 * The session that this tab had from the start, or got from another tab. It need not be announced
 * again.
 */
let known: IssuedSession | undefined;

/** Starts to share the session with the other tabs of this browser. */
export function shareSession(): void {
  known = session.value;
  channel = new BroadcastChannel('animal-store-session');
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    switch (data.kind) {
      case 'wanted':
        if (session.value !== undefined && !isExpired.value) {
          tell({ kind: 'session', issued: session.value, for: data.by });
        }
        break;
      case 'session':
        if (data.for === tab && isWanted) take(data.issued);
        break;
      case 'logged in':
        take(data.issued);
        break;
      case 'logged out':
        if (session.value !== undefined)
          void leave('You have logged out in another tab.', data.token);
        break;
    }
  });
  // Tabs whose session has ended continue when an operator logs in, in any tab.
  effect(() => {
    const issued = session.value;
    if (issued === undefined || isExpired.value || issued === known) return;
    known = issued;
    tell({ kind: 'logged in', issued });
  });
  // An operator may have logged in again in another tab while this one was hidden.
  effect(() => {
    const token = session.peek()?.token;
    if (!isExpired.value || token === undefined) return;
    refused.add(token);
    askOthers();
  });
  if (session.value === undefined) {
    isWaiting.value = true;
    askOthers();
    setTimeout(() => {
      isWaiting.value = false;
    }, waitMs);
  }
}

export function logOut(): void {
  const token = session.value?.token;
  void leave('You have logged out.');
  tell({ kind: 'logged out', token });
}

/**
 * Deletes the session before the service ends it. Otherwise a request that is refused at that
 * moment would make this tab ask the others for a session.
 *
 * @param ended the session that has ended already.
 */
async function leave(reason: string, ended?: string): Promise<void> {
  const token = session.value?.token;
  isWanted = false;
  endSession(reason);
  // If the service cannot be reached, the session expires.
  if (token !== undefined && token !== ended) await call('endSession', { token }).catch(() => {});
}

function take(issued: IssuedSession): void {
  if (!isAcceptable(issued)) return;
  known = issued;
  isWanted = false;
  isWaiting.value = false;
  beginSession(issued);
}

/** Input under the session of one operator must not be sent under the session of another. */
function isAcceptable({ token, session: { operator } }: IssuedSession): boolean {
  if (refused.has(token)) return false;
  const own = session.value;
  if (own === undefined) return true;
  const { id, name } = own.session.operator;
  return isExpired.value && id === operator.id && name === operator.name;
}
