import { initContract } from '@ts-rest/core';
import {
  Account,
  AccountDetails,
  AccountPath,
  AccountPlan,
  Accounts,
  ListAccountsQuery,
} from './admin-account.ts';
import { AuditEntries, ListAuditQuery } from './admin-audit.ts';
import { Deprecation, DeprecationQuery } from './admin-deprecation.ts';
import { AdminErrorBody } from './admin-error-codes.ts';
import { ReasonQuery } from './admin-fields.ts';
import { IssuedKey, Key, KeyPath } from './admin-key.ts';
import { KeyChange } from './admin-key-change.ts';
import { Keys, ListKeysQuery } from './admin-key-list.ts';
import { KeyDetails } from './admin-key-usage.ts';
import { NewKey } from './admin-new-key.ts';
import {
  IssuedOperator,
  ListOperatorsQuery,
  NewOperator,
  Operator,
  OperatorPath,
  OperatorSessions,
  Operators,
} from './admin-operator.ts';
import { Overview } from './admin-overview.ts';
import { Rotation } from './admin-rotation.ts';
import { adminRoutes } from './admin-routes.ts';
import { IssuedSession, Session } from './admin-session.ts';
import {
  HistoryQuery,
  LedgerOfKey,
  ServiceLedger,
  ServiceUsageQuery,
  UsageQuery,
} from './admin-usage.ts';

const c = initContract();

// The response objects of this file have no `as const`. With `as const`, TypeScript would turn the
// status `400` into the string `"400"`, which ts-rest does not accept.

/**
 * The error response of all operations that change data, in addition to `commonResponses`. The
 * service responds with 403 if the role of the operator is too low.
 */
const changeResponses = { 403: AdminErrorBody };

/**
 * The error responses of operations that change a single key or operator, in addition to
 * `commonResponses`.
 */
const changeOneResponses = { ...changeResponses, 404: AdminErrorBody };

/** The error responses of operations with a request body, in addition to `commonResponses`. */
const bodyResponses = { 408: AdminErrorBody, 413: AdminErrorBody, 415: AdminErrorBody };

/**
 * The options that all operations share. Each contract adds a tag, by which the OpenAPI document
 * groups the operations.
 */
const options = {
  strictStatusCodes: true,
  /** The error responses that every operation can have. */
  commonResponses: {
    400: AdminErrorBody,
    401: AdminErrorBody,
    429: AdminErrorBody,
    500: AdminErrorBody,
    503: AdminErrorBody,
  },
} as const;

/** The contract of the operations on API keys. */
export const keyContract = c.router(
  {
    createKey: {
      ...adminRoutes.createKey,
      summary: 'Create a key',
      description:
        'Creates a key and shows its token once. The service stores only a hash of the token.',
      query: ReasonQuery,
      body: NewKey,
      responses: { 201: IssuedKey, ...changeResponses, ...bodyResponses },
    },
    listKeys: {
      ...adminRoutes.listKeys,
      summary: 'List keys',
      description:
        'Lists the keys that match every filter. `sort` determines the order. Without `sort`, the first filter of the request determines the order. `banned`, `tokenPrefix`, `account` and `search` list the newest key first, and `name` sorts by name. `deprecatedWithinDays` lists the key with the latest deprecated call first, `unusedForDays` the key with the latest use or creation, and `state=expired` the key with the latest expiry. Without these filters, the newest key is first. The list has pages: while there is another page, the `Link` header contains its address with `rel="next"`.',
      query: ListKeysQuery,
      responses: { 200: Keys },
    },
    getKey: {
      ...adminRoutes.getKey,
      summary: 'Show a key and its usage',
      description:
        'Shows a key, its requests in the current minute and day, its strikes (denied requests that count towards a ban) and its ban. `include=history` adds the usage of the key in a period, and the latest audit entries about the key.',
      pathParams: KeyPath,
      query: HistoryQuery,
      responses: { 200: KeyDetails, 404: AdminErrorBody },
    },
    changeKey: {
      ...adminRoutes.changeKey,
      summary: "Change a key's name, account, expiry, plan, limits or scopes",
      description:
        'Changes a key. The change applies from the next request of the key. The requests of the current minute and day remain counted.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: KeyChange,
      responses: { 200: Key, ...changeOneResponses, ...bodyResponses, 409: AdminErrorBody },
    },
    rotateKey: {
      ...adminRoutes.rotateKey,
      summary: 'Replace the tokens of a key with a new token',
      description:
        'Creates a new token and shows it once. Earlier tokens stay valid for a grace period. If an earlier rotation has already set the expiry of a token, this expiry is never extended. All tokens belong to one key with one quota.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: Rotation,
      responses: { 200: IssuedKey, ...changeOneResponses, ...bodyResponses, 409: AdminErrorBody },
    },
    revokeKey: {
      ...adminRoutes.revokeKey,
      summary: 'Revoke a key',
      description:
        'Revokes a key permanently. All replicas refuse the key within a second. A second call changes nothing.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Key, ...changeOneResponses },
    },
    suspendKey: {
      ...adminRoutes.suspendKey,
      summary: 'Suspend a key',
      description:
        "Suspends a key until it is resumed: within a second, all replicas respond to its requests with 403 `key_suspended`. These requests count against the limit of the caller's network and not against the quota of the key. A second call changes nothing, except that a `reason` replaces the previous one. A suspended key can be changed, rotated and revoked.",
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Key, ...changeOneResponses, 409: AdminErrorBody },
    },
    resumeKey: {
      ...adminRoutes.resumeKey,
      summary: 'Resume a suspended key',
      description:
        'Ends the suspension of a key: within a second, all replicas admit the key again. The suspension of a key does not delete its request counts, its strikes (denied requests that count towards a ban) or its ban. If the key is not suspended, the call changes nothing.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Key, ...changeOneResponses, 409: AdminErrorBody },
    },
    unbanKey: {
      ...adminRoutes.unbanKey,
      summary: "End a key's ban and delete its strikes",
      description:
        "Ends a key's ban, and deletes its strikes (denied requests that count towards a ban) and its earlier bans. The requests of the current minute and day remain counted.",
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: KeyDetails, ...changeOneResponses, 409: AdminErrorBody },
    },
    creditKey: {
      ...adminRoutes.creditKey,
      summary: "Reset a key's usage",
      description:
        'Resets the quota of a key: its requests of the current minute and day no longer count, and a new minute and a new day begin with its next request. Bans, strikes (denied requests that count towards a ban) and the stored usage do not change. A key whose account has a plan has no quota of its own, so the response is a 400.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: KeyDetails, ...changeOneResponses, 409: AdminErrorBody },
    },
  },
  { ...options, metadata: { tag: 'Keys' } },
);

/** The contract of the operations on accounts. */
export const accountContract = c.router(
  {
    listAccounts: {
      ...adminRoutes.listAccounts,
      summary: 'List accounts',
      description:
        'Lists the accounts that have keys, have a plan or are suspended. Without `sort`, they are ordered by name. The list has pages: while there is another page, the `Link` header contains its address with `rel="next"`.',
      query: ListAccountsQuery,
      responses: { 200: Accounts },
    },
    getAccount: {
      ...adminRoutes.getAccount,
      summary: 'Show an account, its usage and its keys',
      description:
        'Shows an account, the usage of all keys of the account together, and its busiest keys today. `include=history` adds the usage of the keys in a period.',
      pathParams: AccountPath,
      query: HistoryQuery,
      responses: { 200: AccountDetails, 404: AdminErrorBody },
    },
    setAccountPlan: {
      ...adminRoutes.setAccountPlan,
      summary: 'Set or remove the plan of an account',
      description:
        "Sets the plan of an account, whether or not the account has keys yet. From the next request on, all keys of the account share one quota with the limits of the plan. All replicas together enforce these limits exactly. The keys' own plans are inactive while the account has a plan. `null` removes the plan, and each key has its own plan again. The requests that are already counted remain counted, and banned keys stay banned. A second call changes nothing.",
      pathParams: AccountPath,
      query: ReasonQuery,
      body: AccountPlan,
      responses: { 200: Account, ...changeResponses, ...bodyResponses },
    },
    suspendAccount: {
      ...adminRoutes.suspendAccount,
      summary: 'Suspend all keys of an account',
      description:
        "Suspends an account until it is resumed: within a second, all replicas respond to the requests of all its keys, including new ones, with 403 `key_suspended`. These requests count against the limit of the caller's network and not against the quota of the account. A second call changes nothing, except that a `reason` replaces the previous one.",
      pathParams: AccountPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Account, ...changeOneResponses },
    },
    resumeAccount: {
      ...adminRoutes.resumeAccount,
      summary: 'Resume a suspended account',
      description:
        'Ends the suspension of an account: within a second, all replicas admit its keys again, except keys that are suspended themselves. If the account is not suspended, the call changes nothing.',
      pathParams: AccountPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Account, ...changeOneResponses },
    },
    creditAccount: {
      ...adminRoutes.creditAccount,
      summary: "Reset an account's usage",
      description:
        'Resets the quota that the keys of an account share: their requests of the current minute and day no longer count. A new minute and a new day begin with the next request. Bans, strikes (denied requests that count towards a ban) and the stored usage do not change. If the account has no plan, each key has its own quota, so the response is a 400.',
      pathParams: AccountPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Account, ...changeOneResponses },
    },
  },
  { ...options, metadata: { tag: 'Accounts' } },
);

/** The contract of the operations on operators. */
export const operatorContract = c.router(
  {
    createOperator: {
      ...adminRoutes.createOperator,
      summary: 'Create an operator',
      description:
        'Creates an operator and shows its token once. The service stores only a hash of the token. Several operators may have exactly the same name. A name that differs but looks the same as the name of another active operator is refused.',
      query: ReasonQuery,
      body: NewOperator,
      responses: { 201: IssuedOperator, ...changeResponses, ...bodyResponses },
    },

    listOperators: {
      ...adminRoutes.listOperators,
      summary: 'List operators, the newest first',
      description: 'Lists the operators, the newest first, at most 1,000.',
      query: ListOperatorsQuery,
      responses: { 200: Operators },
    },

    rotateOperator: {
      ...adminRoutes.rotateOperator,
      summary: 'Replace the tokens of an operator with a new token',
      description:
        'Creates a new token and shows it once. Earlier tokens stay valid for a grace period. If an earlier rotation has already set the expiry of a token, this expiry is never extended.',
      pathParams: OperatorPath,
      query: ReasonQuery,
      body: Rotation,
      responses: {
        200: IssuedOperator,
        ...changeOneResponses,
        ...bodyResponses,
        409: AdminErrorBody,
      },
    },

    revokeOperator: {
      ...adminRoutes.revokeOperator,
      summary: 'Revoke an operator',
      description:
        'Revokes an operator permanently: every replica refuses its tokens from the next request on. A second call changes nothing.',
      pathParams: OperatorPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Operator, ...changeOneResponses },
    },

    listOperatorSessions: {
      ...adminRoutes.listOperatorSessions,
      summary: 'List the sessions of an operator',
      description:
        'Lists the sessions of an operator, the newest first. Ended sessions are not in the list.',
      pathParams: OperatorPath,
      responses: { 200: OperatorSessions, 404: AdminErrorBody },
    },

    endOperatorSessions: {
      ...adminRoutes.endOperatorSessions,
      summary: 'End all sessions of an operator',
      description:
        'Ends all sessions of an operator, and returns them. The tokens of the operator stay valid. To invalidate the tokens, rotate them or revoke the operator. The log of the service records sessions, but the audit log does not.',
      pathParams: OperatorPath,
      body: c.noBody(),
      responses: { 200: OperatorSessions, ...changeOneResponses },
    },
  },
  { ...options, metadata: { tag: 'Operators' } },
);

/** The contract of the operations that report usage. */
export const usageContract = c.router(
  {
    getKeyUsage: {
      ...adminRoutes.getKeyUsage,
      summary: "Show a key's usage",
      description:
        'Shows how many requests a key has made, by time, operation and outcome. A request is visible after at most 5 s.',
      pathParams: KeyPath,
      query: UsageQuery,
      responses: { 200: LedgerOfKey, 404: AdminErrorBody },
    },
    getUsage: {
      ...adminRoutes.getUsage,
      summary: 'Show the usage of all keys',
      description:
        'Shows how many requests all keys together have made, or the keys of a plan or an account, by time, operation and outcome. Without a filter, the response includes requests without a valid key. With `groupBy=key`, the operation shows the busiest keys, and the usage of each key by day.',
      query: ServiceUsageQuery,
      responses: { 200: ServiceLedger },
    },
    getDeprecation: {
      ...adminRoutes.getDeprecation,
      summary: 'Show who still calls deprecated operations',
      description:
        'Shows how often deprecated operations were called in a period, and a page of the keys that called them recently. The list of callers has pages: while there is another page, the `Link` header contains its address with `rel="next"`.',
      query: DeprecationQuery,
      responses: { 200: Deprecation },
    },
  },
  { ...options, metadata: { tag: 'Usage' } },
);

/** The contract of the operation that shows the state of the whole service. */
export const overviewContract = c.router(
  {
    getOverview: {
      ...adminRoutes.getOverview,
      summary: 'Show the state of the service',
      description:
        'Shows the traffic of the last minute, the replicas, how many keys are active, how many keys are banned, and which accounts and keys have denied requests. The numbers are at most 5 seconds old. `include=history` adds the requests of a period and its busiest keys.',
      query: HistoryQuery,
      responses: { 200: Overview },
    },
  },
  { ...options, metadata: { tag: 'Service' } },
);

/** The contract of the operations on sessions. */
export const sessionContract = c.router(
  {
    createSession: {
      ...adminRoutes.createSession,
      summary: 'Log in',
      description:
        "Exchanges an operator's token, or the `ADMIN_TOKEN`, for the token of a session, so that a browser need not keep the original token. A session has the rights of its operator. The session ends after 30 minutes without a request that has `X-Operator-Active: true`. Send this header if a person has done something since the last request. The session also ends after 8 hours, and as soon as the original token is no longer valid. The token of a session cannot start another session, so the response is then a 401.",
      body: c.noBody(),
      responses: { 201: IssuedSession },
    },
    endSessions: {
      ...adminRoutes.endSessions,
      summary: 'End all your own sessions',
      description:
        'Ends all sessions of the calling operator on all devices, including the session of this request. The tokens of the operator stay valid.',
      body: c.noBody(),
      responses: { 200: Session },
    },
    endSession: {
      ...adminRoutes.endSession,
      summary: 'End this session',
      description:
        'Ends the session whose token is in the request. A request with another kind of token gets a 401.',
      body: c.noBody(),
      responses: { 200: Session },
    },
  },
  { ...options, metadata: { tag: 'Sessions' } },
);

/** The contract of the operation that lists the audit log. */
export const auditContract = c.router(
  {
    listAuditEntries: {
      ...adminRoutes.listAuditEntries,
      summary: 'List audit entries, the newest first',
      description:
        'Lists every change by an operator, and the start of every ban. No operation changes or deletes an entry; entries are kept for 400 days. The list has pages: while there is another page, the `Link` header contains its address with `rel="next"`.',
      query: ListAuditQuery,
      responses: { 200: AuditEntries },
    },
  },
  { ...options, metadata: { tag: 'Audit' } },
);

/** The contract of the whole admin API. */
export const adminContract = {
  ...keyContract,
  ...accountContract,
  ...operatorContract,
  ...usageContract,
  ...overviewContract,
  ...sessionContract,
  ...auditContract,
};
