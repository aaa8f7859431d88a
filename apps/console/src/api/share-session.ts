import type { IssuedSession } from '@animal-store/admin-contract';
import { effect, signal } from '@preact/signals';
import { call } from './call-admin-api.ts';
import { beginSession, endSession, isExpired, session } from './session.ts';

type Message =
  /**
   * A request for a session. A tab sends it when it opens, and when its own session has expired.
   */
  | { readonly kind: 'wanted'; readonly by: string }
  /** The response to the tab that asked for a session. */
  | { readonly kind: 'session'; readonly issued: IssuedSession; readonly for: string }
  /** A notification that an operator has logged in. */
  | { readonly kind: 'logged in'; readonly issued: IssuedSession }
  /** A notification that the operator has logged out, with the token of the ended session. */
  | { readonly kind: 'logged out'; readonly token: string | undefined };

/**
 * How long a new tab waits for a session from another tab before it shows the login page, in
 * milliseconds.
 */
const waitMs = 250;

/**
 * The channel through which the tabs of one browser share a session. Only pages of the same origin
 * receive its messages, and the console is the only site of its origin. Messages are never written
 * to the disk. The session is not in a cookie, because browsers would send a cookie to every port
 * of the host.
 */
let channel: BroadcastChannel | undefined;

/**
 * Whether this tab is new and still waits for a session from another tab. While the tab waits, the
 * console does not show the login page.
 */
export const isWaiting = signal(false);

/**
 * The name of this tab in the channel. The name is not created by `crypto.randomUUID`, because
 * browsers offer this function only over HTTPS or on localhost.
 */
const tab = String(Math.random());

const send = (message: Message) => channel?.postMessage(message);

/**
 * Whether this tab waits for a response to its request for a session. A logout sets it to `false`,
 * so that a late response does not log the operator in again.
 */
let isWanted = false;

function askOthers(): void {
  isWanted = true;
  send({ kind: 'wanted', by: tab });
}

/**
 * The tokens that the service has refused in this tab. A hidden tab does not notice that its
 * session has expired, and still offers the expired token to other tabs. Without this set, two tabs
 * would exchange expired tokens until the service blocks their address for guessing tokens.
 */
const refused = new Set<string>();

/**
 * The session that the other tabs already know, because this tab got it from one of them or had it
 * before a reload. This session is not announced as a new login.
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
          send({ kind: 'session', issued: session.value, for: data.by });
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
  // When an operator logs in, the session is offered to the other tabs. A tab takes it if it has no
  // session, or an expired session of the same operator.
  effect(() => {
    const issued = session.value;
    if (issued === undefined || isExpired.value || issued === known) return;
    known = issued;
    send({ kind: 'logged in', issued });
  });
  // When its session expires, this tab asks the other tabs for a session. The operator may have
  // logged in again in another tab while this tab was hidden.
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
  send({ kind: 'logged out', token });
}

/**
 * Ends the session. The tab forgets the session first, and then asks the service to end it. If the
 * tab asked the service first, a poll could be refused before the tab has forgotten the session.
 * The tab would then ask the other tabs for a session.
 *
 * @param ended the token of a session that another tab has already ended.
 */
async function leave(reason: string, ended?: string): Promise<void> {
  const token = session.value?.token;
  isWanted = false;
  endSession(reason);
  // An error of this request is ignored, because the service ends the session anyway when it
  // expires.
  if (token !== undefined && token !== ended) await call('endSession', { token }).catch(() => {});
}

function take(issued: IssuedSession): void {
  if (!isAcceptable(issued)) return;
  known = issued;
  isWanted = false;
  isWaiting.value = false;
  beginSession(issued);
}

/**
 * Returns whether this tab may use a session from another tab. A session of another operator is not
 * acceptable, because unsent input in this tab would be sent in that operator's name.
 */
function isAcceptable({ token, session: { operator } }: IssuedSession): boolean {
  if (refused.has(token)) return false;
  const own = session.value;
  if (own === undefined) return true;
  const { id, name } = own.session.operator;
  return isExpired.value && id === operator.id && name === operator.name;
}
