import { formatCount, formatRequests } from '../time/format.ts';
import { affectedKeysText, type Denials, type Refusal } from './refusals.ts';

export interface LetterSubject {
  /** Whether the letter is about a key or an account. */
  readonly kind: 'key' | 'account';
  /** The name by which the customer knows the key or the account, or its id. */
  readonly name: string;
  readonly quota: { readonly perMinute: number; readonly perDay: number } | null;
  readonly refusals: readonly Refusal[];
  readonly denials: Denials;
}

export interface Letter {
  readonly title: string;
  readonly body: string;
}

/**
 * Writes a letter that tells a customer why requests are or were refused, and what to do. The
 * letter contains no token. It does not give the reason for a suspension, because only operators
 * may read this reason. Times are in UTC, because the customer's time zone is unknown.
 *
 * @returns `undefined` if no requests are or were refused.
 */
export function writeLetter({
  kind,
  name,
  quota,
  refusals,
  denials,
}: LetterSubject): Letter | undefined {
  if (refusals.length === 0 && denials.denied + denials.refused === 0) return undefined;
  const subjectName = `${kind === 'key' ? 'the API key' : 'the account'} “${name}”`;
  const state = refusals.length > 0 ? 'are refused' : 'were refused';
  const parts = [
    'Hello,',
    `requests to the Animal Store API with ${kind === 'key' ? subjectName : `the API keys of ${subjectName}`} ${state}.`,
    refusals.map(sentenceOf).join('\n\n'),
    historyOf(denials),
    quota === null
      ? ''
      : `The limits are ${formatRequests(quota.perMinute)} a minute and ${formatRequests(quota.perDay)} a day.`,
    ['What you can do:', ...adviceFor(refusals, denials)].join('\n- '),
  ];
  return {
    title: `Requests of ${subjectName} ${state}`,
    body: `${parts.filter((part) => part !== '').join('\n\n')}\n`,
  };
}

function sentenceOf(refusal: Refusal): string {
  switch (refusal.why) {
    case 'revoked':
      return `The key was revoked at ${at(refusal.since)}, and cannot be restored. Every request gets status 401, code unauthorized.`;
    case 'expired':
      return `The key expired at ${at(refusal.since)}. Every request gets status 401, code unauthorized.`;
    case 'suspended':
      return `The ${refusal.subject} has been suspended since ${at(refusal.since)}. Every request gets status 403, code key_suspended.`;
    case 'banned':
      return `The key is banned until ${at(refusal.until)}, because it kept sending requests after it was denied. Until then every request gets status 429, code key_temporarily_banned.`;
    case 'keys banned':
      return `${affectedKeysText(refusal.banned, refusal.keys, 'API ')} banned until ${at(refusal.until)} at the latest, because they kept sending requests after they were denied. Until then every request with such a key gets status 429, code key_temporarily_banned.`;
    case 'keys full':
      return `${affectedKeysText(refusal.full, refusal.keys, 'API ')} denied, because a limit is used up. The limit resets at ${at(refusal.until)} at the latest. Until then, every request with such a key gets status 429, code rate_limit_exceeded.`;
    case 'keys suspended':
      return `${affectedKeysText(refusal.suspended, refusal.keys, 'API ')} suspended. Every request with such a key gets status 403, code key_suspended.`;
    case 'no key':
      return 'None of its API keys is valid. Every request gets status 401, code unauthorized.';
    case 'used up':
      return `The limit of ${formatRequests(refusal.limit)} a ${refusal.window}${refusal.subject === 'account' ? ', which all keys of the account share,' : ''} is used up. The limit resets at ${at(refusal.until)}. Until then every request gets status 429, code rate_limit_exceeded.`;
  }
}

function historyOf({ from, to, buckets, denied, refused, requests }: Denials): string {
  if (denied + refused === 0) return '';
  const [first, last] = [buckets[0], buckets.at(-1)];
  const counts = [
    ...(denied > 0 ? [`${formatCount(denied)} of ${formatRequests(requests)} got status 429`] : []),
    ...(refused > 0
      ? [`${formatCount(refused)} of ${formatRequests(requests)} got status 401 or 403`]
      : []),
  ];
  const times =
    first && last
      ? ` The first 429 was at ${minute(first.at)}, the last at ${minute(last.at)}.`
      : '';
  return `Between ${at(from)} and ${at(to)}, ${counts.join(', and ')}.${times}`;
}

function adviceFor(refusals: readonly Refusal[], { denied }: Denials): string[] {
  const isFor = (...reasons: Refusal['why'][]) => refusals.some(({ why }) => reasons.includes(why));
  if (isFor('revoked', 'expired', 'no key')) return ['Answer this message if you need a new key.'];
  return [
    ...(isFor('suspended', 'keys suspended')
      ? ['Answer this message, so that we can discuss the suspension.']
      : []),
    ...(denied > 0 || isFor('banned', 'keys banned', 'keys full', 'used up')
      ? [
          'After a 429, wait the number of seconds in its Retry-After header. Requests that do not wait lead to a ban.',
          'Spread your requests. X-RateLimit-Remaining says how many are left until the time in X-RateLimit-Reset.',
          'Answer this message if you need higher limits.',
        ]
      : []),
  ];
}

const at = (time: string) => `${time.slice(0, 19).replace('T', ' ')} UTC`;
const minute = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
