import {
  adminRoutes,
  type Key,
  type KeyDetails,
  type KeyUsage,
  keyContract,
} from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { KeyManagement } from '../keys/key-management.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import { type QuotaResult, toInstant, toQuotaWindows } from '../quotas/quota-result.ts';
import type { UsageQueries } from '../usage/usage-queries.ts';
import { linkNextPage, readCursor } from './admin-cursor.ts';
import { accepted, causeOf } from './change-request.ts';

/** The operations on API keys. */
export function createKeyHandlers(options: {
  keys: KeyManagement;
  quotas: Pick<Quotas, 'keys'>;
  usage: Pick<UsageQueries, 'readRecent'>;
}) {
  const { keys, usage } = options;
  const limiter = options.quotas.keys;

  async function detailsOf(key: Key): Promise<KeyDetails> {
    return { ...key, usage: toUsage(await limiter.get(key.id, key)) };
  }

  return initServer().router(keyContract, {
    async createKey({ body, query, res }) {
      const { holder, token } = await keys.create(body, causeOf(res, query));
      res.locals.keyId = holder.id;
      return { status: 201, body: { key: holder, token } };
    },

    async listKeys({ query: { limit, cursor, include, ...filter }, res }) {
      const list = { path: adminRoutes.listKeys.path, limit, filter: { ...filter, include } };
      const { items, next } = await keys.list(filter, limit, readCursor(list, cursor));
      linkNextPage(res, list, next);
      if (include === undefined || items.length === 0) return { status: 200, body: [...items] };
      const recent = await usage.readRecent(items.map(({ id }) => id));
      return { status: 200, body: items.map((key) => ({ ...key, recent: recent.get(key.id) })) };
    },

    async getKey({ params: { keyId } }) {
      return { status: 200, body: await detailsOf(accepted(await keys.find(keyId))) };
    },

    async changeKey({ params: { keyId }, query, body, res }) {
      const { holder } = accepted(await keys.change(keyId, body, causeOf(res, query)));
      return { status: 200, body: holder };
    },

    async rotateKey({ params: { keyId }, query, body: { graceSeconds }, res }) {
      const rotation = await keys.rotate(keyId, graceSeconds, causeOf(res, query));
      const { holder, token } = accepted(rotation);
      return { status: 200, body: { key: holder, token } };
    },

    async revokeKey({ params: { keyId }, query, res }) {
      const { holder } = accepted(await keys.revoke(keyId, causeOf(res, query)));
      return { status: 200, body: holder };
    },

    async unbanKey({ params: { keyId }, query, res }) {
      const key = accepted(await keys.find(keyId));
      const standing = toUsage(await limiter.get(key.id, key));
      const lift = () => limiter.unban(keyId);
      const unbanned = await keys.unban(keyId, standing, lift, causeOf(res, query));
      return { status: 200, body: await detailsOf(accepted(unbanned)) };
    },
  });
}

function toUsage(usage: QuotaResult): KeyUsage {
  return {
    scope: usage.scope,
    windows: toQuotaWindows(usage),
    strikes: usage.strikes,
    strikeThreshold: usage.strikeThreshold ?? null,
    bannedUntil: usage.bannedUntil === undefined ? null : toInstant(usage.bannedUntil),
  };
}
