import {
  adminRoutes,
  type Key,
  type KeyDetails,
  type KeyUsage,
  keyContract,
} from '@animal-store/admin-contract';
import type { QuotaDecision } from '@animal-store/quotas';
import { initServer } from '@ts-rest/express';
import type { AppliedPlan } from '../keys/api-key.ts';
import { toInstant, toQuotaWindows } from '../quotas/quota-windows.ts';
import { type AdminServices, causeOf, change } from './admin-operation.ts';
import { type PagedList, readPage } from './read-page.ts';
import { readLedger, type UsageQuestion } from './usage-range.ts';

/** The number of audit entries that the details of an API key include. */
const maxShownEntries = 20;

export function createKeyHandlers(services: AdminServices) {
  const { clock, keys, accounts, quotas, usage, audit, readBans } = services;

  async function detailsOf(key: Key): Promise<KeyDetails> {
    const applied = await keys.findAppliedPlan(key);
    const decision = await quotas.keys.look({ ...applied, id: key.id });
    return { ...key, usage: toUsage(decision, applied) };
  }

  async function readHistory(
    keyId: string,
    question: UsageQuestion,
  ): Promise<KeyDetails['history']> {
    const [ledger, { items }] = await Promise.all([
      readLedger(services, { keyId }, question),
      audit.list({ keyId }, maxShownEntries, undefined),
    ]);
    return { ...ledger, audit: [...items] };
  }

  return initServer().router(keyContract, {
    async createKey(request) {
      const issued = await keys.create(request.body, causeOf(request));
      request.res.locals.keyId = issued.key.id;
      return { status: 201, body: issued };
    },

    async listKeys({ query: { limit, cursor, include, count, ...given }, res }) {
      const filter = await accounts.resolveFilter(given);
      const list: PagedList = {
        path: adminRoutes.listKeys.path,
        limit,
        filter: { ...filter, include },
      };
      const found = await readPage(
        res,
        list,
        { cursor, count },
        {
          find: (from) =>
            readBans(
              () => keys.list(filter, limit, from),
              ({ items }) =>
                items.flatMap(({ id: keyId, bannedUntil: until }) =>
                  until ? [{ keyId, until }] : [],
                ),
            ),
          count: () => keys.count(filter),
        },
      );
      return { status: 200, body: include ? await usage.addRecent(found, clock.now()) : found };
    },

    async getKey({ params: { keyId }, query: { include, ...question } }) {
      const [details, history] = await Promise.all([
        keys.find(keyId).then(detailsOf),
        include && readHistory(keyId, question),
      ]);
      return { status: 200, body: { ...details, history } };
    },

    changeKey: change(({ params, body }, cause) => keys.change(params.keyId, body, cause)),
    rotateKey: change(({ params, body }, cause) =>
      keys.rotate(params.keyId, body.graceSeconds, cause),
    ),
    revokeKey: change(({ params }, cause) => keys.revoke(params.keyId, cause)),
    suspendKey: change(({ params }, cause) => keys.suspend(params.keyId, cause)),
    resumeKey: change(({ params }, cause) => keys.resume(params.keyId, cause)),
    creditKey: change(async ({ params }, cause) =>
      detailsOf(await keys.credit(params.keyId, cause)),
    ),
    unbanKey: change(async ({ params }, cause) => detailsOf(await keys.unban(params.keyId, cause))),
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
