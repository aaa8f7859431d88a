import { z } from 'zod';
import { Name } from './name.ts';
import { pageLimit } from './page-limit.ts';
import { PageLimit } from './pet.ts';
import { planNames } from './plan.ts';
import type { windowSeconds } from './rate-limit.ts';

// Unlike the public types, these are inferred: nothing that is published shows them.

/** How long the tokens before a rotation stay good, in seconds. */
export const gracePeriod = { min: 0, max: 30 * 86_400, default: 86_400 } as const;

/** The greatest limit that a key can have; Postgres's `integer` holds no more. */
export const maxLimit: number = 2 ** 31 - 1;

/** The states of a key. Only an active one is admitted. */
export const keyStates = ['active', 'expired', 'revoked'] as const;

const plan = { error: `expected one of ${planNames.join(', ')}` };
const state = { error: `expected one of ${keyStates.join(', ')}` };
const limit = { error: `expected an integer from 1 to ${maxLimit}` };
const instant = { error: 'expected an ISO 8601 date and time, such as 2027-01-31T00:00:00Z' };
const keyId = { error: 'expected a UUID' };
const noQuota = { error: 'expected none: only Enterprise keys have numbers of their own' };
const grace = { error: `expected an integer from ${gracePeriod.min} to ${gracePeriod.max}` };

/** The name of a plan. */
export const Plan = z.enum(planNames, plan);

/** The state of a key. */
export const KeyState = z.enum(keyStates, state);

/** The state of a key. */
export type KeyState = z.output<typeof KeyState>;

// Made anew for each member, so that the OpenAPI document can say of each what it is.
const limitSchema = () => z.int(limit).min(1, limit).max(maxLimit, limit);
const countSchema = () => z.int().min(0);

// An offset may push the last year of four digits into one of five, which Postgres cannot read.
const Instant = z.iso
  .datetime({ offset: true, abort: true, ...instant })
  .refine((text) => new Date(text).getUTCFullYear() <= 9999, instant);

/**
 * Bodies that take no member but their own. What the public API ignores is refused here: an
 * operator's `expiresAT` must not make a key that never expires.
 */
function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const members = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `expected no member but ${members}`
        : `expected a JSON object of ${members}`,
  });
}

/** The numbers that an operator gives an Enterprise key. */
export const OwnQuota = strictObject({ perMinute: limitSchema(), perDay: limitSchema() });

/** What tells keys apart for people: neither has to be unique. */
const labels = {
  /** Who or what the key is for. */
  name: Name.optional(),
  /** The operator's own reference, such as a customer number. */
  account: Name.optional(),
};

const lifetime = {
  /** When the key stops being good; never if left out. */
  expiresAt: Instant.optional(),
};

/** What makes a key of a plan that has its numbers. */
export const NewPlanKey = strictObject({
  ...labels,
  plan: Plan.exclude(['enterprise']),
  quota: z.never(noQuota).optional(),
  ...lifetime,
});

/** What makes a key that brings its own numbers. */
export const NewEnterpriseKey = strictObject({
  ...labels,
  plan: z.literal('enterprise'),
  quota: OwnQuota,
  ...lifetime,
});

/** What makes a key. An Enterprise key brings its numbers; the other plans have them. */
export const NewKey = z.discriminatedUnion('plan', [NewPlanKey, NewEnterpriseKey], {
  error: ({ code }) => (code === 'invalid_union' ? plan.error : 'expected a JSON object'),
});

/** What makes a key. */
export type NewKey = z.output<typeof NewKey>;

/** A change of plan, of an Enterprise key's numbers, or of both. */
export const KeyChange = strictObject({
  plan: Plan.optional(),
  /** Required where the key becomes Enterprise; refused where it is none afterwards. */
  quota: OwnQuota.optional(),
})
  .refine(({ plan, quota }) => plan !== undefined || quota !== undefined, {
    error: 'expected plan, quota or both',
  })
  .refine(({ plan, quota }) => quota === undefined || plan === undefined || plan === 'enterprise', {
    path: ['quota'],
    ...noQuota,
  });

/** A change of plan, of an Enterprise key's numbers, or of both. */
export type KeyChange = z.output<typeof KeyChange>;

/** How a key's tokens are replaced by a new one. May be left out whole. */
export const Rotation = strictObject({
  /** How long the tokens before it stay good, in seconds; 0 for not at all. */
  graceSeconds: z
    .int(grace)
    .min(gracePeriod.min, grace)
    .max(gracePeriod.max, grace)
    .default(gracePeriod.default),
}).prefault({});

/** A token that stands for a key, as far as it may be shown again. */
export const KeyToken = z.object({
  /** Its first characters. */
  prefix: z.string(),
  createdAt: z.iso.datetime(),
  /** When it stops being good, if that is before its key does: it was replaced. */
  expiresAt: z.iso.datetime().nullable(),
});

/** The numbers that hold for a key: its plan's, or an Enterprise key's own. */
export const KeyQuota = z.object({ perMinute: limitSchema(), perDay: limitSchema() });

/** A key as operators see it. Every member is there; `null` stands for what the key has not. */
export const Key = z.object({
  id: z.uuid(),
  name: z.string().nullable(),
  account: z.string().nullable(),
  plan: Plan,
  quota: KeyQuota,
  state: KeyState,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  /** The tokens that are good as long as the key is: more than one while a replaced one still is. */
  tokens: z.array(KeyToken),
});

/** A key as operators see it. */
export type Key = z.output<typeof Key>;

/** A page of keys, the newest first. */
export const Keys = z.array(Key);

/** One quota window. While no request has opened it, `resetsAt` is when it would reset. */
export const KeyWindow = z.object({
  limit: limitSchema(),
  remaining: countSchema(),
  resetsAt: z.iso.datetime(),
});

/**
 * Whose requests are counted: those that all replicas answer, or, while Redis is away, those that the
 * replica which was asked has answered since, against its share of each limit.
 */
export const UsageScope = z.enum(['service', 'replica']);

/** How a key stands at this moment. */
export const KeyUsage = z.object({
  scope: UsageScope,
  windows: z.object({ minute: KeyWindow, day: KeyWindow } satisfies Record<
    keyof typeof windowSeconds,
    unknown
  >),
  /** Requests that did not heed a 429, and how many of them are borne; `null` if bans are off. */
  strikes: countSchema(),
  strikeThreshold: countSchema().nullable(),
  bannedUntil: z.iso.datetime().nullable(),
});

/** How a key stands at this moment. */
export type KeyUsage = z.output<typeof KeyUsage>;

/** A key with its usage. */
export const KeyDetails = Key.extend({ usage: KeyUsage });

/** A key with its usage. */
export type KeyDetails = z.output<typeof KeyDetails>;

/** A key with a token that was just made. The token is shown here and never again. */
export const IssuedKey = z.object({ key: Key, token: z.string() });

/** A key with a token that was just made. */
export type IssuedKey = z.output<typeof IssuedKey>;

/** What narrows the list of keys. */
export const ListKeysQuery = z.object({
  limit: PageLimit.default(pageLimit.default),
  plan: Plan.optional(),
  state: KeyState.optional(),
  cursor: z.string({ error: 'expected one cursor from a Link header' }).optional(),
});

// A UUID may be written in either case (RFC 9562, §4). Whoever compares ids compares texts, so there is
// one of each.
export const KeyPath = z.object({ keyId: z.uuid(keyId).toLowerCase() });

/** Tells whether a value can be the id of a key. */
export function isKeyId(value: unknown): value is string {
  return KeyPath.shape.keyId.safeParse(value).success;
}
