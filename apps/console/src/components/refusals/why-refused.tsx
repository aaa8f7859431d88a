import type { ComponentChildren } from 'preact';
import { AccountLink } from '../account-link.tsx';
import { Name } from '../name.tsx';
import { formatCount, formatShare } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { type LetterSubject, writeLetter } from './customer-letter.ts';
import { LetterButton } from './letter-dialog.tsx';
import { affectedKeysText, type Denials, type Refusal } from './refusals.ts';

/**
 * Shows why requests are refused now, how many were refused in the selected period, and what to do.
 *
 * @param account the account of a key. If the account causes the refusal, the text links to the
 *   page of the account.
 * @param children further facts.
 */
export function WhyRefused({
  account,
  children,
  ...subject
}: LetterSubject & { account?: string | null; children?: ComponentChildren }) {
  const { kind, refusals, denials } = subject;
  const letter = writeLetter(subject);
  return (
    <section aria-label="Request status">
      <div class="title">
        <h2>{titleOf(refusals)}</h2>
        {letter && <LetterButton letter={letter} />}
      </div>
      {refusals.map((refusal) => (
        <p key={keyOf(refusal)} class={`state ${toneOf(refusal)}`}>
          <Sentence refusal={refusal} account={kind === 'key' ? account : undefined} />
        </p>
      ))}
      {children}
      <p>
        <PastDenials denials={denials} />
      </p>
    </section>
  );
}

const titles: Readonly<Record<Refusal['why'], string>> = {
  revoked: 'Revoked',
  expired: 'Expired',
  suspended: 'Suspended',
  banned: 'Banned',
  'keys banned': 'Keys are banned',
  'keys full': 'Keys have reached their limits',
  'keys suspended': 'Keys are suspended',
  'no key': 'No valid keys',
  'used up': 'Limit reached',
};

const titleOf = ([first]: readonly Refusal[]) =>
  first === undefined ? 'Requests are accepted' : titles[first.why];

const keyOf = (refusal: Refusal) =>
  Object.values({ ...refusal, until: '', since: '', limit: '' }).join();

const toneOf = ({ why }: Refusal) =>
  ['revoked', 'expired', 'no key'].includes(why) ? 'failed' : 'warned';

/**
 * Describes one reason for refusals in a sentence.
 *
 * @param account the account of a key; `undefined` on the page of the account itself.
 */
function Sentence({ refusal, account }: { refusal: Refusal; account: string | null | undefined }) {
  const isOfAccount = 'subject' in refusal && refusal.subject === 'account';
  const link = isOfAccount && account !== undefined && (
    <>
      {' '}
      of its account <AccountLink account={account} />
    </>
  );
  switch (refusal.why) {
    case 'revoked':
      return (
        <>
          <strong>
            Revoked on <Time at={refusal.since} />.
          </strong>{' '}
          Every request gets a 401. A revocation cannot be undone, so the users of the key need a
          new one.
        </>
      );
    case 'expired':
      return (
        <>
          <strong>
            Expired on <Time at={refusal.since} hasDistance />.
          </strong>{' '}
          Every request gets a 401. The users of the key need a new one.
        </>
      );
    case 'suspended':
      return (
        <>
          <strong>
            {link && (
              <>
                Its account <AccountLink account={account} /> is suspended
              </>
            )}
            {!link && 'Suspended'} since <Time at={refusal.since} hasDistance />.
          </strong>
          {isOfAccount
            ? ' All keys of the account get a 403 until the account is resumed. '
            : ' Every request gets a 403 until the key is resumed. '}
          {refusal.reason !== null && (
            <>
              Reason: <Name text={refusal.reason} />
            </>
          )}
        </>
      );
    case 'banned':
      return (
        <>
          <strong>
            Banned until <Time at={refusal.until} hasDistance />.
          </strong>{' '}
          The key kept sending requests after it was denied. Every request gets a 429 until the ban
          ends or you unban the key.
        </>
      );
    case 'keys banned':
      return (
        <>
          <strong>
            {affectedKeysText(refusal.banned, refusal.keys)} banned until{' '}
            <Time at={refusal.until} hasDistance />
            {refusal.banned > 1 && ' at the latest'}.
          </strong>
          {refusal.share !== undefined &&
            ` ${refusal.banned === 1 ? 'It' : 'They'} made ${formatShare(refusal.share)} of today's requests.`}{' '}
          Every request with such a key gets a 429 until the ban ends or you unban the key. A larger
          plan does not end a ban.
        </>
      );
    case 'keys full':
      return (
        <>
          <strong>
            {affectedKeysText(refusal.full, refusal.keys)} denied until{' '}
            <Time at={refusal.until} hasDistance />
            {refusal.full > 1 && ' at the latest'}.
          </strong>{' '}
          The limits of these keys are used up. Higher limits apply from the next request on.
        </>
      );
    case 'keys suspended':
      return (
        <>
          <strong>{affectedKeysText(refusal.suspended, refusal.keys)} suspended.</strong> Every
          request with such a key gets a 403 until the key is resumed.
        </>
      );
    case 'no key':
      return (
        <>
          <strong>No key of the account is valid.</strong> Every request gets a 401, because all
          keys of the account are revoked or expired, or the account never had a key. The account
          needs a new key.
        </>
      );
    case 'used up':
      return (
        <>
          <strong>
            The {refusal.window === 'day' ? 'daily limit' : 'limit per minute'}
            {link} is used up until <Time at={refusal.until} hasDistance />.
          </strong>
          {isOfAccount ? ' All keys of the account get' : ' Every request gets'} a 429 until the
          limit resets. Higher limits apply from the next request on.
        </>
      );
  }
}

function PastDenials({ denials: { buckets, denied, refused, requests } }: { denials: Denials }) {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) {
    return refused === 0 ? (
      <>No requests were denied in the selected period.</>
    ) : (
      <>
        In the selected period, <strong>{formatCount(refused)}</strong> of
        {` ${formatCount(requests)}`} requests were refused with 401 or 403, and none was denied
        with 429.
      </>
    );
  }
  const time = (at: Date) => <Time at={at.toISOString()} hidesSeconds />;
  return (
    <>
      In the selected period, <strong>{formatCount(denied)}</strong> of
      {` ${formatCount(requests)}`} requests were denied with 429
      {first === last ? (
        <>, all at {time(first.at)}.</>
      ) : (
        <>
          , from {time(first.at)} to {time(last.at)}.
        </>
      )}
      {refused > 0 && (
        <>
          {' '}
          <strong>{formatCount(refused)}</strong> were refused with 401 or 403.
        </>
      )}
    </>
  );
}
