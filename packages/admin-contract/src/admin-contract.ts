import { initContract } from '@ts-rest/core';
import {
  Account,
  AccountDetails,
  AccountDetailsQuery,
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
import { KeyDetails, KeyDetailsQuery } from './admin-key-usage.ts';
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
import { Overview, OverviewQuery } from './admin-overview.ts';
import { Rotation } from './admin-rotation.ts';
import { adminRoutes } from './admin-routes.ts';
import { IssuedSession, Session } from './admin-session.ts';
import { LedgerOfKey, ServiceLedger, ServiceUsageQuery, UsageQuery } from './admin-usage.ts';

const c = initContract();

// Not `as const`, as in `contract.ts`.

/** What an operation that changes something may answer besides: a viewer may not do it. */
const changeResponses = { 403: AdminErrorBody };

/** What a change of one key or operator may answer besides. */
const changeOneResponses = { ...changeResponses, 404: AdminErrorBody };

/** What an operation that takes a body may answer besides. */
const bodyResponses = { 413: AdminErrorBody, 415: AdminErrorBody };

/** What all operations have in common. The tag of each is where the document lists it. */
const options = {
  strictStatusCodes: true,
  /** What any operation may answer. */
  commonResponses: {
    400: AdminErrorBody,
    401: AdminErrorBody,
    429: AdminErrorBody,
    500: AdminErrorBody,
    503: AdminErrorBody,
  },
} as const;

/** The operations on API keys. */
export const keyContract = c.router(
  {
    createKey: {
      ...adminRoutes.createKey,
      summary: 'Create a key',
      description: 'Creates a key and shows its token once: only its hash is stored.',
      query: ReasonQuery,
      body: NewKey,
      responses: { 201: IssuedKey, ...changeResponses, ...bodyResponses },
    },
    listKeys: {
      ...adminRoutes.listKeys,
      summary: 'List keys',
      description:
        'Lists the keys that match every filter. `sort` decides their order. Without it one filter does, the first that is given of: `banned`, `tokenPrefix`, `account` and `search` (the newest key first), `name` (by name), `deprecatedWithinDays` (the latest such call first), `unusedForDays` (the latest use or creation first), `state=expired` (the latest expiry first). Without these, the newest key is first. The list comes in pages: while there is another, the `Link` header carries its address with `rel="next"`.',
      query: ListKeysQuery,
      responses: { 200: Keys },
    },
    getKey: {
      ...adminRoutes.getKey,
      summary: 'Show a key and its usage',
      description:
        'Shows a key, what it has used of both windows, its strikes and its ban. `include=history` adds what it was used for in a span of time, and what was done with it.',
      pathParams: KeyPath,
      query: KeyDetailsQuery,
      responses: { 200: KeyDetails, 404: AdminErrorBody },
    },
    changeKey: {
      ...adminRoutes.changeKey,
      summary: "Change a key's name, account, expiry, plan, numbers or scopes",
      description: 'Changes a key from the next request on. What it has used stays counted.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: KeyChange,
      responses: { 200: Key, ...changeOneResponses, ...bodyResponses, 409: AdminErrorBody },
    },
    rotateKey: {
      ...adminRoutes.rotateKey,
      summary: "Replace a key's tokens with a new one",
      description:
        'Creates a new token and shows it once. The tokens before it stay valid for a grace period, and never longer than an earlier rotation left them; together they are one key with one quota.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: Rotation,
      responses: { 200: IssuedKey, ...changeOneResponses, ...bodyResponses, 409: AdminErrorBody },
    },
    revokeKey: {
      ...adminRoutes.revokeKey,
      summary: 'Revoke a key',
      description:
        'Revokes a key for good: all replicas refuse it within a second. Doing it again changes nothing.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Key, ...changeOneResponses },
    },
    suspendKey: {
      ...adminRoutes.suspendKey,
      summary: 'Suspend a key',
      description:
        'Suspends a key until it is resumed: within a second all replicas answer its requests with 403 `key_suspended`. They count against the network that they come from and not against the quota of the key. Suspending it again changes nothing, except that a `reason` replaces the one before. A suspended key can be changed, rotated and revoked.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Key, ...changeOneResponses, 409: AdminErrorBody },
    },
    resumeKey: {
      ...adminRoutes.resumeKey,
      summary: 'Resume a suspended key',
      description:
        'Ends the suspension of a key: within a second all replicas admit it again. Its windows, strikes and ban go on as if it had not been suspended. Resuming a key that is not suspended changes nothing.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Key, ...changeOneResponses, 409: AdminErrorBody },
    },
    unbanKey: {
      ...adminRoutes.unbanKey,
      summary: "End a key's ban and delete its strikes",
      description:
        "Ends a key's ban and deletes its strikes and earlier bans. What it has used stays counted.",
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: KeyDetails, ...changeOneResponses },
    },
    creditKey: {
      ...adminRoutes.creditKey,
      summary: 'Give a key back what it has used',
      description:
        'Ends the minute and the day of a key: what it has used no longer counts, and its next request opens both anew. Bans and strikes stay; the usage ledger does as well. A key whose account has a plan has no windows of its own: that is a 400.',
      pathParams: KeyPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: KeyDetails, ...changeOneResponses },
    },
  },
  { ...options, metadata: { tag: 'Keys' } },
);

/** The operations on accounts. */
export const accountContract = c.router(
  {
    listAccounts: {
      ...adminRoutes.listAccounts,
      summary: 'List accounts',
      description:
        'Lists the accounts that keys have, or that have a plan or are suspended, by name unless `sort` says otherwise. The list comes in pages: while there is another, the `Link` header carries its address with `rel="next"`.',
      query: ListAccountsQuery,
      responses: { 200: Accounts },
    },
    getAccount: {
      ...adminRoutes.getAccount,
      summary: 'Show an account, its usage and its keys',
      description:
        'Shows an account, what its keys have used of both windows together, and which of them used the most today. `include=history` adds what they were used for in a span of time.',
      pathParams: AccountPath,
      query: AccountDetailsQuery,
      responses: { 200: AccountDetails, 404: AdminErrorBody },
    },
    setAccountPlan: {
      ...adminRoutes.setAccountPlan,
      summary: 'Give an account a plan, or take it away',
      description:
        "Sets the plan of an account, whether or not it has keys yet. While it has one, its keys share one minute and one day of that plan, exactly and over all replicas, from the next request on; the keys' own plans rest. `null` takes the plan away: then each key has its own again. What was used of open windows stays used, and bans stay with their keys. Doing it again changes nothing.",
      pathParams: AccountPath,
      query: ReasonQuery,
      body: AccountPlan,
      responses: { 200: Account, ...changeResponses, ...bodyResponses },
    },
    suspendAccount: {
      ...adminRoutes.suspendAccount,
      summary: 'Suspend all keys of an account',
      description:
        'Suspends an account until it is resumed: within a second all replicas answer the requests of all its keys, also of new ones, with 403 `key_suspended`. They count against the network that they come from and not against the quota of the account. Suspending it again changes nothing, except that a `reason` replaces the one before.',
      pathParams: AccountPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Account, ...changeOneResponses },
    },
    resumeAccount: {
      ...adminRoutes.resumeAccount,
      summary: 'Resume a suspended account',
      description:
        'Ends the suspension of an account: within a second all replicas admit its keys again, except those that are suspended themselves. Resuming an account that is not suspended changes nothing.',
      pathParams: AccountPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Account, ...changeOneResponses },
    },
    creditAccount: {
      ...adminRoutes.creditAccount,
      summary: 'Give an account back what its keys have used',
      description:
        'Ends the minute and the day that the keys of an account share: what they have used no longer counts, and the next request opens both anew. Bans and strikes stay; the usage ledger does as well. Without a plan each key has windows of its own: that is a 400.',
      pathParams: AccountPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Account, ...changeOneResponses },
    },
  },
  { ...options, metadata: { tag: 'Accounts' } },
);

/** The operations on operators. */
export const operatorContract = c.router(
  {
    createOperator: {
      ...adminRoutes.createOperator,
      summary: 'Create an operator',
      description:
        'Creates an operator and shows its token once: only its hash is stored. Names need not be unique.',
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
      summary: "Replace an operator's tokens with a new one",
      description:
        'Creates a new token and shows it once. The tokens before it stay valid for a grace period, and never longer than an earlier rotation left them.',
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
        'Revokes an operator for good: every replica refuses its tokens from the next request on. Doing it again changes nothing.',
      pathParams: OperatorPath,
      query: ReasonQuery,
      body: c.noBody(),
      responses: { 200: Operator, ...changeOneResponses },
    },

    listOperatorSessions: {
      ...adminRoutes.listOperatorSessions,
      summary: 'List the sessions of an operator',
      description: 'Lists the sessions of an operator that have not ended, the newest first.',
      pathParams: OperatorPath,
      responses: { 200: OperatorSessions, 404: AdminErrorBody },
    },

    endOperatorSessions: {
      ...adminRoutes.endOperatorSessions,
      summary: 'End all sessions of an operator',
      description:
        'Ends all sessions of an operator, and answers with them. Its tokens stay valid: to take those away, rotate or revoke. Sessions are in the log of the service, not in the audit log.',
      pathParams: OperatorPath,
      body: c.noBody(),
      responses: { 200: OperatorSessions, ...changeOneResponses },
    },
  },
  { ...options, metadata: { tag: 'Operators' } },
);

/** The operations on the usage ledger. */
export const usageContract = c.router(
  {
    getKeyUsage: {
      ...adminRoutes.getKeyUsage,
      summary: 'Show what a key has used',
      description:
        'Shows how many requests a key has made, by time, operation and outcome. A request shows up within 5 s.',
      pathParams: KeyPath,
      query: UsageQuery,
      responses: { 200: LedgerOfKey, 404: AdminErrorBody },
    },
    getUsage: {
      ...adminRoutes.getUsage,
      summary: 'Show what all keys have used',
      description:
        'Shows how many requests all keys together have made, or those of a plan or an account, by time, operation and outcome. Without such a filter, requests without a valid key are among them. With `groupBy=key` it shows the busiest keys, and what each of them has used by day.',
      query: ServiceUsageQuery,
      responses: { 200: ServiceLedger },
    },
    getDeprecation: {
      ...adminRoutes.getDeprecation,
      summary: 'Show who still calls deprecated operations',
      description:
        'Shows how often deprecated operations were called in a span of time, and a page of the keys that called them lately. The list of callers comes in pages: while there is another, the `Link` header carries its address with `rel="next"`.',
      query: DeprecationQuery,
      responses: { 200: Deprecation },
    },
  },
  { ...options, metadata: { tag: 'Usage' } },
);

/** The operation on the service as a whole. */
export const overviewContract = c.router(
  {
    getOverview: {
      ...adminRoutes.getOverview,
      summary: 'Show how the service is doing',
      description:
        'Shows the traffic of the last minute, the replicas, how many keys are active and banned, and who is denied. The figures are at most 5 seconds old. `include=history` adds the requests of a span of time and its busiest keys.',
      query: OverviewQuery,
      responses: { 200: Overview },
    },
  },
  { ...options, metadata: { tag: 'Service' } },
);

/** The operations on sessions. */
export const sessionContract = c.router(
  {
    createSession: {
      ...adminRoutes.createSession,
      summary: 'Begin a session',
      description:
        "Exchanges an operator's token, or the `ADMIN_TOKEN`, for the token of a session, so that a browser need not keep the former. A session may do what its operator may. It ends after 30 minutes without use, which is a request with `X-Operator-Active: true`: send it if a person has done something since the last request. It also ends after 8 hours, and as soon as the token that it was exchanged for is no longer valid. A session cannot begin another one: that is a 401.",
      body: c.noBody(),
      responses: { 201: IssuedSession },
    },
    endSessions: {
      ...adminRoutes.endSessions,
      summary: "End all of one's own sessions",
      description:
        'Ends all sessions of the operator who asks, everywhere, also that of the request. Its tokens stay valid.',
      body: c.noBody(),
      responses: { 200: Session },
    },
    endSession: {
      ...adminRoutes.endSession,
      summary: 'End this session',
      description:
        'Ends the session whose token the request carries. Any other token is not accepted: that is a 401.',
      body: c.noBody(),
      responses: { 200: Session },
    },
  },
  { ...options, metadata: { tag: 'Sessions' } },
);

/** The operation on the audit log. */
export const auditContract = c.router(
  {
    listAuditEntries: {
      ...adminRoutes.listAuditEntries,
      summary: 'List audit entries, the newest first',
      description:
        'Lists every change by an operator, and the start of every ban. No operation changes or deletes an entry; entries are kept for 400 days. The list comes in pages: while there is another, the `Link` header carries its address with `rel="next"`.',
      query: ListAuditQuery,
      responses: { 200: AuditEntries },
    },
  },
  { ...options, metadata: { tag: 'Audit' } },
);

/** The whole contract of the admin API. */
export const adminContract = {
  ...keyContract,
  ...accountContract,
  ...operatorContract,
  ...usageContract,
  ...overviewContract,
  ...sessionContract,
  ...auditContract,
};
