import { initContract } from '@ts-rest/core';
import {
  IssuedKey,
  Key,
  KeyChange,
  KeyDetails,
  KeyPath,
  Keys,
  ListKeysQuery,
  NewKey,
  Rotation,
} from './admin-key.ts';
import { ErrorBody } from './error.ts';

export {
  gracePeriod,
  type IssuedKey,
  isKeyId,
  type Key,
  type KeyChange,
  type KeyDetails,
  type KeyState,
  type KeyUsage,
  keyStates,
  maxLimit,
  type NewKey,
} from './admin-key.ts';

/** Where the operators' API lives on the operators' listener. */
export const adminBasePath = '/admin/v1';

/** Error codes of the operators' API, besides those that it shares with the public one. */
export const adminErrorStatus = {
  key_not_found: 404,
  key_not_active: 409,
} as const;

/** An error code that only operators meet. */
export type AdminErrorCode = keyof typeof adminErrorStatus;

/** Method and path of each operation, relative to {@link adminBasePath}. */
export const adminRoutes = {
  createKey: { method: 'POST', path: '/keys' },
  listKeys: { method: 'GET', path: '/keys' },
  getKey: { method: 'GET', path: '/keys/:keyId' },
  changeKey: { method: 'PATCH', path: '/keys/:keyId' },
  rotateKey: { method: 'POST', path: '/keys/:keyId/rotate' },
  revokeKey: { method: 'POST', path: '/keys/:keyId/revoke' },
  unbanKey: { method: 'POST', path: '/keys/:keyId/unban' },
} as const;

const c = initContract();

// Not `as const`, as in `contract.ts`. Where no token guards it there is no admin API, and a 404 for
// every operation; these are the answers of one that there is.

/** What any operation may answer. */
const commonResponses = {
  400: ErrorBody,
  401: ErrorBody,
  429: ErrorBody,
  500: ErrorBody,
  503: ErrorBody,
};

/** What an operation on one key may answer besides. */
const oneKeyResponses = { ...commonResponses, 404: ErrorBody };

/** What an operation that takes a body may answer besides. */
const bodyResponses = { 413: ErrorBody, 415: ErrorBody };

/** The operators' contract: the life of API keys. */
export const adminContract = c.router(
  {
    createKey: {
      ...adminRoutes.createKey,
      summary: 'Make a key',
      body: NewKey,
      responses: { 201: IssuedKey, ...commonResponses, ...bodyResponses },
    },
    listKeys: {
      ...adminRoutes.listKeys,
      summary: 'List keys, the newest first',
      query: ListKeysQuery,
      responses: { 200: Keys, ...commonResponses },
    },
    getKey: {
      ...adminRoutes.getKey,
      summary: 'Show a key and how it stands',
      pathParams: KeyPath,
      responses: { 200: KeyDetails, ...oneKeyResponses },
    },
    changeKey: {
      ...adminRoutes.changeKey,
      summary: "Change a key's plan or numbers",
      pathParams: KeyPath,
      body: KeyChange,
      responses: { 200: Key, ...oneKeyResponses, ...bodyResponses, 409: ErrorBody },
    },
    rotateKey: {
      ...adminRoutes.rotateKey,
      summary: "Replace a key's tokens by a new one",
      pathParams: KeyPath,
      body: Rotation,
      responses: { 200: IssuedKey, ...oneKeyResponses, ...bodyResponses, 409: ErrorBody },
    },
    revokeKey: {
      ...adminRoutes.revokeKey,
      summary: 'Take a key back for good',
      pathParams: KeyPath,
      body: c.noBody(),
      responses: { 200: Key, ...oneKeyResponses },
    },
    unbanKey: {
      ...adminRoutes.unbanKey,
      summary: "End a key's ban and forget its strikes",
      pathParams: KeyPath,
      body: c.noBody(),
      responses: { 200: KeyDetails, ...oneKeyResponses },
    },
  },
  { strictStatusCodes: true },
);
