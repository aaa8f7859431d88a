import { formatLinks, type RateLimitWindow } from '@animal-store/contract';
import {
  adminBasePath,
  adminErrorMessages,
  adminRoutes,
  isKeyId,
  type Key,
  type KeyDetails,
  type KeyUsage,
  keyContract,
} from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import { ApiError } from '../http/api-error.ts';
import type { KeyManagement, KeyRecord, Unchanged } from '../keys/key-management.ts';
import type { Quotas } from '../quotas/quotas.ts';

import { readExpiry, toTimes } from './times.ts';

/** The operations on API keys. */
export function createKeyHandlers(options: {
  keys: KeyManagement;
  quotas: Pick<Quotas, 'usageOf' | 'unban'>;
}) {
  const { keys, quotas } = options;

  async function find(id: string): Promise<KeyRecord> {
    const key = await keys.find(id);
    if (key === undefined) throw noSuchKey(id);
    return key;
  }

  async function detailsOf(key: KeyRecord): Promise<KeyDetails> {
    return { ...toKey(key), usage: toUsage(await quotas.usageOf(key)) };
  }

  return initServer().router(keyContract, {
    async createKey({ body: { expiresAt, ...key }, res }) {
      const created = await keys.create({ ...key, expiresAt: readExpiry(expiresAt) });
      res.locals.keyId = created.key.id;
      return { status: 201, body: { key: toKey(created.key), token: created.token } };
    },

    async listKeys({ query: { limit, plan, state, cursor }, res }) {
      if (cursor !== undefined) await requireCursor(cursor);
      // One more than asked for tells whether there is a next page.
      const found = await keys.list({ plan, state }, limit + 1, cursor);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      if (found.length > limit && last !== undefined) {
        const query = new URLSearchParams({ limit: String(limit) });
        if (plan !== undefined) query.set('plan', plan);
        if (state !== undefined) query.set('state', state);
        query.set('cursor', last.id);
        const url = `${adminBasePath}${adminRoutes.listKeys.path}?${query}`;
        res.setHeader('Link', formatLinks([{ url, rel: 'next' }]));
      }
      return { status: 200, body: page.map(toKey) };
    },

    async getKey({ params: { keyId } }) {
      return { status: 200, body: await detailsOf(await find(keyId)) };
    },

    async changeKey({ params: { keyId }, body }) {
      const change = await keys.changePlan(keyId, body);
      if (change.outcome !== 'changed') throw refusal(keyId, change);
      return { status: 200, body: toKey(change.key) };
    },

    async rotateKey({ params: { keyId }, body: { graceSeconds } }) {
      const rotation = await keys.rotate(keyId, graceSeconds);
      if (rotation.outcome !== 'rotated') throw refusal(keyId, rotation);
      return { status: 200, body: { key: toKey(rotation.key), token: rotation.token } };
    },

    async revokeKey({ params: { keyId } }) {
      const key = await keys.revoke(keyId);
      if (key === undefined) throw noSuchKey(keyId);
      return { status: 200, body: toKey(key) };
    },

    async unbanKey({ params: { keyId } }) {
      const key = await find(keyId);
      // Lifted before it is announced: a replica that hears of it and asks Redis finds no ban.
      await quotas.unban(key.id);
      await keys.announceUnban(key.id);
      return { status: 200, body: await detailsOf(key) };
    },
  });

  /** A cursor is the id of the key that the page before ended with. Keys are never deleted. */
  async function requireCursor(cursor: string): Promise<void> {
    if (isKeyId(cursor) && (await keys.find(cursor)) !== undefined) return;
    throw new ApiError('invalid_request', 'cursor: expected one that a Link header gave');
  }
}

function refusal(id: string, unchanged: Unchanged): ApiError {
  switch (unchanged.outcome) {
    case 'no-such-key':
      return noSuchKey(id);
    case 'not-active':
      return new ApiError('key_not_active', adminErrorMessages.key_not_active(unchanged.state));
    case 'quota-missing':
      return new ApiError('invalid_request', adminErrorMessages.quotaMissing);
    case 'quota-unwanted':
      return new ApiError(
        'invalid_request',
        `quota: expected none: the key's plan is ${unchanged.plan}, and only Enterprise keys have numbers of their own`,
      );
  }
}

export function noSuchKey(id: string): ApiError {
  return new ApiError('key_not_found', adminErrorMessages.key_not_found(id));
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
