import type { z } from 'zod';
import type { AdminErrorCode } from '../admin.ts';
import {
  gracePeriod,
  IssuedKey,
  Key,
  KeyChange,
  KeyDetails,
  KeyQuota,
  KeyState,
  Keys,
  KeyToken,
  KeyUsage,
  KeyWindow,
  NewEnterpriseKey,
  NewKey,
  NewPlanKey,
  OwnQuota,
  Plan,
  Rotation,
  UsageScope,
} from '../admin-key.ts';
import { ErrorBody, type ErrorCode } from '../error.ts';
import { errorNotes } from './error-notes.ts';
import { createSchemaWriter, type JsonObject } from './json-schema.ts';
import { nameRules } from './name-notes.ts';
import type { ParameterNotes } from './operations.ts';

/** A key as every example shows it. */
export const exampleKey: z.output<typeof Key> = {
  id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  name: 'acme',
  account: 'C-17',
  plan: 'pro',
  quota: { perMinute: 300, perDay: 10_000 },
  state: 'active',
  createdAt: '2026-11-21T09:00:00.000Z',
  expiresAt: '2027-02-19T09:00:00.000Z',
  revokedAt: null,
  tokens: [{ prefix: 'ast_0000', createdAt: '2026-11-21T09:00:00.000Z', expiresAt: null }],
};

const exampleUsage: z.output<typeof KeyUsage> = {
  scope: 'service',
  windows: {
    minute: { limit: 300, remaining: 296, resetsAt: '2026-11-21T09:31:00.000Z' },
    day: { limit: 10_000, remaining: 9_212, resetsAt: '2026-11-22T09:00:00.000Z' },
  },
  strikes: 0,
  strikeThreshold: 150,
  bannedUntil: null,
};

/** The same key, and how it stands. */
export const exampleDetails: z.output<typeof KeyDetails> = { ...exampleKey, usage: exampleUsage };

/** The same key, just made. The token is no key's: its checksum is wrong. */
export const exampleIssuedKey: z.output<typeof IssuedKey> = {
  key: exampleKey,
  token: `ast_${'0'.repeat(36)}`,
};

/** The named schemas. Their names are what generators call their types, so they never change. */
const names = new Map<z.core.$ZodType, string>([
  [Key, 'Key'],
  [Keys, 'Keys'],
  [KeyDetails, 'KeyDetails'],
  [IssuedKey, 'IssuedKey'],
  [NewKey, 'NewKey'],
  [NewPlanKey, 'NewPlanKey'],
  [NewEnterpriseKey, 'NewEnterpriseKey'],
  [KeyChange, 'KeyChange'],
  [Rotation, 'Rotation'],
  [Plan, 'Plan'],
  [KeyState, 'KeyState'],
  [KeyQuota, 'Quota'],
  [OwnQuota, 'OwnQuota'],
  [KeyToken, 'KeyToken'],
  [KeyUsage, 'KeyUsage'],
  [KeyWindow, 'KeyWindow'],
  [UsageScope, 'UsageScope'],
  [ErrorBody, 'Error'],
]);

const { name, account, expiresAt } = NewPlanKey.shape;
const { graceSeconds } = Rotation.unwrap().shape;

const errorCodes: readonly (ErrorCode | AdminErrorCode)[] = [
  'invalid_request',
  'invalid_json',
  'unauthorized',
  'key_not_found',
  'not_found',
  'method_not_allowed',
  'key_not_active',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
];

/** A schema with the description that it gets. */
const say = (schema: z.core.$ZodType, description: string, more: JsonObject = {}) =>
  [schema, { ...more, description }] as const;

const notes = new Map<z.core.$ZodType, JsonObject>([
  say(Key, 'An API key. Every member is there; `null` stands for what the key has not.', {
    examples: [exampleKey],
  }),
  say(Key.shape.id, 'Identifies the key, whatever its tokens are.'),
  say(Key.shape.name, 'Who or what the key is for.'),
  say(Key.shape.account, "The operator's own reference, such as a customer number."),
  say(Key.shape.createdAt, 'When the key was made.'),
  say(Key.shape.expiresAt, 'When the key stops being good; `null` for never.'),
  say(Key.shape.revokedAt, 'When the key was taken back, if it was.'),
  say(
    Key.shape.tokens,
    'The tokens that are good as long as the key is, the newest first: more than one while a replaced one still is.',
  ),
  say(Keys, 'A page of keys, the newest first.'),
  say(KeyDetails, 'A key and how it stands at this moment.', { examples: [exampleDetails] }),
  say(
    IssuedKey,
    'A key with a token that was just made. The token is shown here and never again.',
    {
      examples: [exampleIssuedKey],
    },
  ),
  say(IssuedKey.shape.token, 'What callers send as `Authorization: Bearer <API_KEY>`.', {
    pattern: '^ast_[0-9A-Za-z]{36}$',
  }),
  say(
    NewKey,
    'What makes a key. An Enterprise key brings its own numbers; the other plans have them.',
    {
      discriminator: {
        propertyName: 'plan',
        mapping: {
          ...Object.fromEntries(
            NewPlanKey.shape.plan.options.map((plan) => [plan, '#/components/schemas/NewPlanKey']),
          ),
          enterprise: '#/components/schemas/NewEnterpriseKey',
        },
      },
    },
  ),
  say(NewPlanKey, 'What makes a key of a plan that has its numbers.', {
    examples: [{ name: 'acme', plan: 'pro', expiresAt: '2027-02-19T09:00:00Z' }],
  }),
  say(NewPlanKey.shape.plan, 'The name of a plan that has its numbers.'),
  say(NewEnterpriseKey, 'What makes a key that brings its own numbers.', {
    examples: [{ plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } }],
  }),
  say(NewEnterpriseKey.shape.plan, 'The name of the plan.'),
  say(name, 'Who or what the key is for; need not be unique.', { type: 'string', ...nameRules }),
  say(account, 'A reference of your own, such as a customer number; need not be unique.', {
    type: 'string',
    ...nameRules,
  }),
  say(
    expiresAt,
    'When the key stops being good: a time to come, with its offset, before the year 10000. Never if it is left out.',
  ),
  say(KeyChange, "A change of a key's plan, of an Enterprise key's numbers, or of both.", {
    minProperties: 1,
    // Where a plan comes with numbers, it is the one that takes them.
    dependentSchemas: { quota: { properties: { plan: { const: 'enterprise' } } } },
    examples: [{ plan: 'business' }],
  }),
  say(
    Rotation,
    "How a key's tokens are replaced by a new one. Those before it stay good for 24 hours if nothing is said.",
    { examples: [{ graceSeconds: 3_600 }] },
  ),
  say(
    graceSeconds,
    `How long the tokens before it stay good, in seconds: ${gracePeriod.default} if it is left out, 0 for not at all, at most 30 days. An earlier rotation's end is never put off.`,
  ),
  say(Plan, 'The name of a plan.'),
  say(KeyState, 'The state of a key. Only an active one is admitted.'),
  say(KeyQuota, "The numbers that hold: the plan's, or an Enterprise key's own."),
  say(KeyQuota.shape.perMinute, 'Requests in a window of 60 seconds.'),
  say(KeyQuota.shape.perDay, 'Requests in a window of 86,400 seconds.'),
  say(OwnQuota, 'The numbers of an Enterprise key.', {
    examples: [{ perMinute: 5_000, perDay: 1_000_000 }],
  }),
  say(OwnQuota.shape.perMinute, 'Requests in a window of 60 seconds.'),
  say(OwnQuota.shape.perDay, 'Requests in a window of 86,400 seconds.'),
  say(KeyToken, 'A token, as far as it may be shown again.'),
  say(KeyToken.shape.prefix, 'Its first characters.'),
  say(KeyToken.shape.createdAt, 'When it was made.'),
  say(
    KeyToken.shape.expiresAt,
    'When it stops being good, if that is before its key does: it was replaced.',
  ),
  say(KeyUsage, 'How a key stands at this moment.', { examples: [exampleUsage] }),
  say(
    UsageScope,
    'Whose requests are counted. `service`: those that all replicas answer. `replica`: while Redis is away, those that the replica which was asked has answered since, against its share of each limit; another replica tells other numbers.',
  ),
  say(KeyUsage.shape.windows, 'Both windows.'),
  say(KeyUsage.shape.strikes, 'Requests that did not heed a 429.'),
  say(KeyUsage.shape.strikeThreshold, 'How many of them are borne; `null` if bans are off.'),
  say(KeyUsage.shape.bannedUntil, 'When the ban ends, if the key is banned.'),
  say(KeyWindow, 'One quota window.'),
  say(KeyWindow.shape.limit, 'Requests that it has room for.'),
  say(KeyWindow.shape.remaining, 'Requests that are left.'),
  say(
    KeyWindow.shape.resetsAt,
    'When it resets; while no request has opened it, when it would if one did now.',
  ),
  ...errorNotes({
    codes: errorCodes,
    example: {
      code: 'key_not_active',
      message: 'The key is revoked: make a new one.',
      status: 409,
    },
  }),
]);

/** The schemas of the admin API. */
export const adminSchemas = createSchemaWriter({ names, notes });

/** What the parameters of the admin API mean. */
export const adminParameters: ParameterNotes = {
  keyId: { description: 'The `id` of the key.', example: exampleKey.id },
  limit: { description: 'The greatest number of keys to return.', example: 50 },
  plan: { description: 'Only keys of this plan.', example: 'pro' },
  state: { description: 'Only keys in this state.', example: 'active' },
  cursor: {
    description:
      'Where the page starts: the cursor of the `Link` header of the page before. Follow that link instead of building one.',
  },
};
