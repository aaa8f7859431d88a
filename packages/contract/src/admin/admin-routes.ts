import type { OperatorRole } from './admin-operator.ts';

/** Where the admin API is on the operators' listener. */
export const adminBasePath = '/admin/v1';

/** Method and path of each operation, relative to {@link adminBasePath}. Plain data: browsers load this file. */
export const adminRoutes = {
  createKey: { method: 'POST', path: '/keys' },
  listKeys: { method: 'GET', path: '/keys' },
  getKey: { method: 'GET', path: '/keys/:keyId' },
  changeKey: { method: 'PATCH', path: '/keys/:keyId' },
  rotateKey: { method: 'POST', path: '/keys/:keyId/rotate' },
  revokeKey: { method: 'POST', path: '/keys/:keyId/revoke' },
  unbanKey: { method: 'POST', path: '/keys/:keyId/unban' },
  createOperator: { method: 'POST', path: '/operators' },
  listOperators: { method: 'GET', path: '/operators' },
  rotateOperator: { method: 'POST', path: '/operators/:operatorId/rotate' },
  revokeOperator: { method: 'POST', path: '/operators/:operatorId/revoke' },
  getKeyUsage: { method: 'GET', path: '/keys/:keyId/usage' },
  getUsage: { method: 'GET', path: '/usage' },
  getOverview: { method: 'GET', path: '/overview' },
  createSession: { method: 'POST', path: '/sessions' },
  endSession: { method: 'DELETE', path: '/sessions/current' },
  listAuditEntries: { method: 'GET', path: '/audit' },
} as const;

/** The role that each operation needs. The roles above it may do it as well. */
export const requiredRoles: Readonly<Record<keyof typeof adminRoutes, OperatorRole>> = {
  createKey: 'operator',
  listKeys: 'viewer',
  getKey: 'viewer',
  changeKey: 'operator',
  rotateKey: 'operator',
  revokeKey: 'operator',
  unbanKey: 'operator',
  createOperator: 'owner',
  listOperators: 'viewer',
  rotateOperator: 'owner',
  revokeOperator: 'owner',
  getKeyUsage: 'viewer',
  getUsage: 'viewer',
  getOverview: 'viewer',
  createSession: 'viewer',
  endSession: 'viewer',
  listAuditEntries: 'viewer',
};
