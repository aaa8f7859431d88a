import type { RateLimitWindow } from '@animal-store/contract';
import {
  adminErrorMessages,
  adminRoutes,
  type Key,
  type KeyDetails,
  type KeyUsage,
  keyContract,
} from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import { HttpError } from '../http/http-error.ts';
import type { KeyManagement, Unchanged } from '../keys/key-management.ts';
import type { KeyRecord } from '../keys/key-record.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { toTimes } from '../shared/iso-times.ts';
import type { UsageLedger } from '../usage/open-usage.ts';
import { linkNextPage, readCursor } from './admin-cursor.ts';
import { causeOf, readExpiry } from './change-request.ts';

/** The operations on API keys. */
export function createKeyHandlers(options: {
  keys: KeyManagement;
  quotas: Pick<Quotas, 'usageOf' | 'unban'>;
  usage: Pick<UsageLedger, 'readRecent'>;
}) {
  const { keys, quotas, usage } = options;

  async function find(id: string): Promise<KeyRecord> {
    const key = await keys.find(id);
    if (key === undefined) throw noSuchKey(id);
    return key;
  }

  async function detailsOf(key: KeyRecord): Promise<KeyDetails> {
    return { ...toKey(key), usage: toUsage(await quotas.usageOf(key)) };
  }

  return initServer().router(keyContract, {
    async createKey({ body: { expiresAt, ...key }, query, res }) {
      const newKey = { ...key, expiresAt: readExpiry(expiresAt) ?? undefined };
      const created = await keys.create(newKey, causeOf(res, query));
      res.locals.keyId = created.key.id;
      return { status: 201, body: { key: toKey(created.key), token: created.token } };
    },

    async listKeys({ query: { limit, cursor, include, ...filter }, res }) {
      const list = { path: adminRoutes.listKeys.path, limit, filter: { ...filter, include } };
      const page = await keys.list(filter, limit, readCursor(list, cursor));
      linkNextPage(res, list, page.next);
      const listed = page.items.map(toKey);
      if (include === undefined || listed.length === 0) return { status: 200, body: listed };
      const recent = await usage.readRecent(listed.map(({ id }) => id));
      return { status: 200, body: listed.map((key) => ({ ...key, recent: recent.get(key.id) })) };
    },

    async getKey({ params: { keyId } }) {
      return { status: 200, body: await detailsOf(await find(keyId)) };
    },

    async changeKey({ params: { keyId }, query, body: { expiresAt, ...body }, res }) {
      const wanted = { ...body, expiresAt: readExpiry(expiresAt) };
      const change = await keys.change(keyId, wanted, causeOf(res, query));
      if (change.outcome !== 'changed') throw refusal(keyId, change);
      return { status: 200, body: toKey(change.key) };
    },

    async rotateKey({ params: { keyId }, query, body: { graceSeconds }, res }) {
      const rotation = await keys.rotate(keyId, graceSeconds, causeOf(res, query));
      if (rotation.outcome !== 'rotated') throw refusal(keyId, rotation);
      return { status: 200, body: { key: toKey(rotation.key), token: rotation.token } };
    },

    async revokeKey({ params: { keyId }, query, res }) {
      const key = await keys.revoke(keyId, causeOf(res, query));
      if (key === undefined) throw noSuchKey(keyId);
      return { status: 200, body: toKey(key) };
    },

    async unbanKey({ params: { keyId }, query, res }) {
      const { strikes, bannedUntil } = await quotas.usageOf(await find(keyId));
      const standing = {
        strikes,
        bannedUntil: bannedUntil === undefined ? undefined : new Date(bannedUntil * 1000),
      };
      const lift = () => quotas.unban(keyId);
      const key = await keys.unban(keyId, standing, lift, causeOf(res, query));
      if (key === undefined) throw noSuchKey(keyId);
      return { status: 200, body: await detailsOf(key) };
    },
  });
}

function refusal(id: string, unchanged: Unchanged): HttpError {
  switch (unchanged.outcome) {
    case 'no-such-key':
      return noSuchKey(id);
    case 'not-active':
      return new HttpError('key_not_active', adminErrorMessages.key_not_active(unchanged.state));
    case 'quota-missing':
      return new HttpError('invalid_request', adminErrorMessages.quotaMissing);
    case 'quota-unwanted':
      return new HttpError(
        'invalid_request',
        `quota: expected none: the key's plan is ${unchanged.plan}, and only Enterprise keys have numbers of their own`,
      );
  }
}

export function noSuchKey(id: string): HttpError {
  return new HttpError('key_not_found', adminErrorMessages.key_not_found(id));
}

function toKey(key: KeyRecord): Key {
  return { ...key, ...toTimes(key), lastUsedAt: key.lastUsedAt?.toISOString() ?? null };
}

function toUsage(usage: Awaited<ReturnType<Quotas['usageOf']>>): KeyUsage {
  const windowOf = (name: RateLimitWindow['name']) => {
    const window = usage.windows.find((candidate) => candidate.name === name);
    if (window === undefined) throw new TypeError(`A key's usage lacks the window ${name}.`);
    const { limit, remaining, resetAt } = window;
    return { limit, remaining, resetsAt: toInstant(resetAt) };
  };
  return {
    scope: usage.scope,
    windows: { minute: windowOf('minute'), day: windowOf('day') },
    strikes: usage.strikes,
    strikeThreshold: usage.strikeThreshold ?? null,
    bannedUntil: usage.bannedUntil === undefined ? null : toInstant(usage.bannedUntil),
  };
}

function toInstant(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString();
}
