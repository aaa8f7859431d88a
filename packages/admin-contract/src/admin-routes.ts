import type { OperatorRole } from './admin-operator.ts';

/** The path of the admin API on the ops listener. */
export const adminBasePath = '/admin/v1';

/**
 * The header that the console sends with the value `true` if a person has used the page since the
 * last request. Only a request with this header extends the session, because an open page also
 * sends requests while nobody uses it.
 */
export const operatorActiveHeader = 'X-Operator-Active';

/**
 * The method and path of each operation, relative to {@link adminBasePath}, and the lowest role
 * that may call the operation. This file contains only data, so that browsers can load it.
 */
export const adminRoutes = {
  createKey: { method: 'POST', path: '/keys', role: 'operator' },
  listKeys: { method: 'GET', path: '/keys', role: 'viewer' },
  getKey: { method: 'GET', path: '/keys/:keyId', role: 'viewer' },
  changeKey: { method: 'PATCH', path: '/keys/:keyId', role: 'operator' },
  rotateKey: { method: 'POST', path: '/keys/:keyId/rotate', role: 'operator' },
  revokeKey: { method: 'POST', path: '/keys/:keyId/revoke', role: 'operator' },
  suspendKey: { method: 'POST', path: '/keys/:keyId/suspend', role: 'operator' },
  resumeKey: { method: 'POST', path: '/keys/:keyId/resume', role: 'operator' },
  unbanKey: { method: 'POST', path: '/keys/:keyId/unban', role: 'operator' },
  creditKey: { method: 'POST', path: '/keys/:keyId/credit', role: 'operator' },
  listAccounts: { method: 'GET', path: '/accounts', role: 'viewer' },
  getAccount: { method: 'GET', path: '/accounts/:account', role: 'viewer' },
  setAccountPlan: { method: 'PUT', path: '/accounts/:account', role: 'operator' },
  suspendAccount: { method: 'POST', path: '/accounts/:account/suspend', role: 'operator' },
  resumeAccount: { method: 'POST', path: '/accounts/:account/resume', role: 'operator' },
  creditAccount: { method: 'POST', path: '/accounts/:account/credit', role: 'operator' },
  createOperator: { method: 'POST', path: '/operators', role: 'owner' },
  listOperators: { method: 'GET', path: '/operators', role: 'viewer' },
  rotateOperator: { method: 'POST', path: '/operators/:operatorId/rotate', role: 'owner' },
  revokeOperator: { method: 'POST', path: '/operators/:operatorId/revoke', role: 'owner' },
  listOperatorSessions: { method: 'GET', path: '/operators/:operatorId/sessions', role: 'viewer' },
  endOperatorSessions: {
    method: 'DELETE',
    path: '/operators/:operatorId/sessions',
    role: 'owner',
  },
  getKeyUsage: { method: 'GET', path: '/keys/:keyId/usage', role: 'viewer' },
  getUsage: { method: 'GET', path: '/usage', role: 'viewer' },
  getDeprecation: { method: 'GET', path: '/deprecation', role: 'viewer' },
  getOverview: { method: 'GET', path: '/overview', role: 'viewer' },
  createSession: { method: 'POST', path: '/sessions', role: 'viewer' },
  endSessions: { method: 'DELETE', path: '/sessions', role: 'viewer' },
  endSession: { method: 'DELETE', path: '/sessions/current', role: 'viewer' },
  listAuditEntries: { method: 'GET', path: '/audit', role: 'viewer' },
} as const satisfies Record<string, { method: string; path: string; role: OperatorRole }>;
