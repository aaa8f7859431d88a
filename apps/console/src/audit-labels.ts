import type { AuditAction } from '@animal-store/contract/admin';

/** How the actions of the audit log are called. */
export const auditActions: Readonly<Record<AuditAction, string>> = {
  'key.created': 'Key created',
  'key.changed': 'Key changed',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'key.unbanned': 'Ban lifted',
  'ban.started': 'Ban began',
  'ban.ended': 'Ban ended',
  'operator.created': 'Operator created',
  'operator.rotated': 'Operator rotated',
  'operator.revoked': 'Operator revoked',
};
