import {
  adminRoutes,
  type Key,
  type KeyDetails,
  type KeyUsage,
  keyContract,
} from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { AuditLog } from '../audit/audit-log.ts';
import { jsonBody } from '../http/json-body.ts';
import type { AppliedPlan } from '../keys/api-key.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import { isKeyPosition } from '../keys/key-search.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import { type QuotaDecision, toInstant, toQuotaWindows } from '../quotas/quota-decision.ts';
import type { Clock } from '../shared/clock.ts';
import type { UsageQueries } from '../usage/usage-queries.ts';
import { linkNextPage, type PagedList, readCursor } from './admin-cursor.ts';
import { causeOf } from './change-request.ts';
import { readLedger, type UsageQuestion } from './usage-range.ts';

/** How many entries of the audit log the details of a key include. */
const shownEntries = 20;

/** The operations on API keys. */
export function createKeyHandlers(options: {
  clock: Pick<Clock, 'now'>;
  keys: KeyManagement;
  quotas: Pick<Quotas, 'keys'>;
  usage: Pick<UsageQueries, 'read' | 'readRecent'>;
  audit: Pick<AuditLog, 'list'>;
}) {
  const { clock, keys, usage, audit } = options;
  const limiter = options.quotas.keys;

  async function detailsOf(key: Key): Promise<KeyDetails> {
    const applied = await keys.findAppliedPlan(key);
    const usage = await limiter.look({ ...applied, id: key.id });
    return { ...key, usage: toUsage(usage, applied) };
  }

  async function readHistory(
    keyId: string,
    question: UsageQuestion,
  ): Promise<KeyDetails['history']> {
    const [ledger, { items }] = await Promise.all([
      readLedger(usage, { keyId }, { ...question, now: clock.now() }),
      audit.list({ keyId }, shownEntries, undefined),
    ]);
    return { ...ledger, audit: [...items] };
  }

  return initServer().router(keyContract, {
    createKey: {
      middleware: [jsonBody],
      async handler({ body, query, res }) {
        const issued = await keys.create(body, causeOf(res, query));
        res.locals.keyId = issued.key.id;
        return { status: 201, body: issued };
      },
    },

    async listKeys({ query: { limit, cursor, include, ...filter }, res }) {
      const list: PagedList = {
        path: adminRoutes.listKeys.path,
        limit,
        filter: { ...filter, include },
        isPosition: (position) => isKeyPosition(filter, position),
      };
      const { items, next } = await keys.list(filter, limit, readCursor(list, cursor));
      linkNextPage(res, list, next);
      if (include === undefined) return { status: 200, body: [...items] };
      const recent = await usage.readRecent(
        items.map(({ id }) => id),
        clock.now(),
      );
      return { status: 200, body: items.map((key) => ({ ...key, recent: recent.get(key.id) })) };
    },

    async getKey({ params: { keyId }, query: { include, ...question } }) {
      const [details, history] = await Promise.all([
        keys.find(keyId).then(detailsOf),
        include === undefined ? undefined : readHistory(keyId, question),
      ]);
      return { status: 200, body: { ...details, history } };
    },

    changeKey: {
      middleware: [jsonBody],
      async handler({ params: { keyId }, query, body, res }) {
        return { status: 200, body: await keys.change(keyId, body, causeOf(res, query)) };
      },
    },

    rotateKey: {
      middleware: [jsonBody],
      async handler({ params: { keyId }, query, body: { graceSeconds }, res }) {
        return { status: 200, body: await keys.rotate(keyId, graceSeconds, causeOf(res, query)) };
      },
    },

    async revokeKey({ params: { keyId }, query, res }) {
      return { status: 200, body: await keys.revoke(keyId, causeOf(res, query)) };
    },

    async suspendKey({ params: { keyId }, query, res }) {
      return { status: 200, body: await keys.suspend(keyId, causeOf(res, query)) };
    },

    async resumeKey({ params: { keyId }, query, res }) {
      return { status: 200, body: await keys.resume(keyId, causeOf(res, query)) };
    },

    async unbanKey({ params: { keyId }, query, res }) {
      const unbanned = await keys.unban(keyId, causeOf(res, query));
      return { status: 200, body: await detailsOf(unbanned) };
    },
  });
}

function toUsage(usage: QuotaDecision, { accountId, plan }: AppliedPlan): KeyUsage {
  return {
    scope: usage.scope,
    subject: accountId === undefined ? 'key' : 'account',
    plan,
    windows: toQuotaWindows(usage),
    strikes: usage.strikes,
    strikesResetAt: usage.strikesResetAt === undefined ? null : toInstant(usage.strikesResetAt),
    strikeThreshold: usage.strikeThreshold ?? null,
    bannedUntil: usage.bannedUntil === undefined ? null : toInstant(usage.bannedUntil),
  };
}
