import type { IssuedSession } from '@animal-store/admin-contract';
import { effect, signal } from '@preact/signals';
import { call } from './call-admin-api.ts';
import { beginSession, endSession, isExpired, session } from './session.ts';

type Message =
  /** A tab has opened, or its session has ended: it asks whether another one has a session. */
  | { readonly kind: 'wanted'; readonly by: string }
  /** The answer, for the tab that asked. */
  | { readonly kind: 'session'; readonly issued: IssuedSession; readonly for: string }
  /** Somebody has logged in. */
  | { readonly kind: 'logged in'; readonly issued: IssuedSession }
  /** The operator has logged out, in the tab that had this session. */
  | { readonly kind: 'logged out'; readonly token: string | undefined };

/** How long a tab that has just opened waits for the others before it asks for a token, in milliseconds. */
const waitMs = 250;

/**
 * The channel between the tabs of one browser. Only pages of this very origin hear it, whatever opened or
 * embeds them, and the origin serves nothing but the console; what is said is kept nowhere, least of all on
 * the disk. So a tab can be given the session without a cookie, which would go to every port of the host.
 */
let channel: BroadcastChannel | undefined;

/** Whether this tab still waits for another one that may have a session. */
export const isWaiting = signal(false);

/** The name of this tab in the channel. Not `crypto.randomUUID`, which only pages over HTTPS have. */
const tab = String(Math.random());

const tell = (message: Message) => channel?.postMessage(message);

/** Whether an answer is wanted. One that comes after the operator has logged out must not log in again. */
let isWanted = false;

function askOthers(): void {
  isWanted = true;
  tell({ kind: 'wanted', by: tab });
}

/**
 * Tokens that were refused in this tab. Tabs that do not know yet that theirs has ended, such as hidden ones, offer
 * them: two of them would be tried in turn, until the service takes the address for one that guesses tokens.
 */
const refused = new Set<string>();

/** The session that this tab had from the start, or that another tab has told: it need not be told again. */
let known: IssuedSession | undefined;

/** Shares the session with the other tabs of this browser, from now on. */
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
  // Tabs whose session has ended go on when somebody logs in, in any of them.
  effect(() => {
    const issued = session.value;
    if (issued === undefined || isExpired.value || issued === known) return;
    known = issued;
    tell({ kind: 'logged in', issued });
  });
  // Somebody may have logged in again in another tab while this one was hidden.
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
 * Forgets the session before the service ends it: a request that is refused meanwhile would have this tab
 * ask the others for a session.
 *
 * @param ended the session that has ended already.
 */
async function leave(reason: string, ended?: string): Promise<void> {
  const token = session.value?.token;
  isWanted = false;
  endSession(reason);
  // The session ends by itself if the service cannot be told.
  if (token !== undefined && token !== ended) await call('endSession', { token }).catch(() => {});
}

function take(issued: IssuedSession): void {
  if (!isAcceptable(issued)) return;
  known = issued;
  isWanted = false;
  isWaiting.value = false;
  beginSession(issued);
}

/** What was typed under the session of one operator must not be sent under that of another. */
function isAcceptable({ token, session: { operator } }: IssuedSession): boolean {
  if (refused.has(token)) return false;
  const own = session.value;
  if (own === undefined) return true;
  const { id, name } = own.session.operator;
  return isExpired.value && id === operator.id && name === operator.name;
}
