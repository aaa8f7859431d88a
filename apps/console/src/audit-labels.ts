import type { AuditAction } from '@animal-store/contract/admin';

/** How the actions of the audit log are called. */
export const auditActions: Readonly<Record<AuditAction, string>> = {
  'key.created': 'Key created',
  'key.changed': 'Key changed',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'key.suspended': 'Key suspended',
  'key.resumed': 'Key resumed',
  'key.unbanned': 'Unbanned',
  'account.changed': 'Account changed',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'ban.started': 'Ban began',
  'ban.ended': 'Ban ended',
  'operator.created': 'Operator created',
  'operator.rotated': 'Operator rotated',
  'operator.revoked': 'Operator revoked',
};
