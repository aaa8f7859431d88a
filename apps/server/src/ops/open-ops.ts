import { createAdminOpenApi } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import type { AuditLog } from '../audit/audit-log.ts';
import { type ListenerLimits, openListener } from '../http/listener.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { OperatorManagement } from '../operators/operator-management.ts';
import type { OperatorSessions } from '../operators/operator-sessions.ts';
import type { OverviewReader } from '../overview/overview.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { openLocalSocket } from '../shared/local-socket.ts';
import type { UsageRepository } from '../usage/usage-repository.ts';
import { createAuditHandlers } from './audit-handlers.ts';
import {
  authenticateOperator,
  type OperatorAuthentication,
  trustLocalUser,
} from './authenticate-operator.ts';
import { createConsoleHandlers } from './console-handlers.ts';
import type { Health } from './health.ts';
import { createKeyHandlers } from './key-handlers.ts';
import { createOperatorHandlers } from './operator-handlers.ts';
import { createOpsApp } from './ops-app.ts';
import { createOverviewHandlers } from './overview-handlers.ts';
import { createSessionHandlers } from './session-handlers.ts';
import { createUsageHandlers } from './usage-handlers.ts';

/** The operators' listener. */
export interface Ops {
  /** Where it is, as `http://host:port`. */
  readonly origin: string;
  close(graceMs: number): Promise<void>;
}

/**
 * Opens the operators' listener.
 *
 * @throws {StartupError} if the port or the host cannot be had.
 */
export async function openOps(
  options: ListenerLimits &
    Omit<OperatorAuthentication, 'findSession'> & {
      opsHost: string;
      opsPort: number;
      opsHosts: readonly string[];
      /** Holds the socket of the embedded server's own user; `undefined` with Postgres. */
      dataDir: string | undefined;
      health: Health;
      metrics: Metrics;
      keys: KeyManagement;
      operators: OperatorManagement;
      overview: OverviewReader;
      sessions: OperatorSessions;
      quotas: Quotas;
      usage: UsageRepository;
      audit: AuditLog;
      report: (failure: unknown, requestId?: string) => void;
      onOpsEnd: (record: OpsRequestRecord) => void;
    },
): Promise<Ops> {
  const { opsHosts, dataDir, health, metrics, report, onOpsEnd } = options;
  const keys = createKeyHandlers({ keys: options.keys, quotas: options.quotas });
  const operators = createOperatorHandlers(options.operators);
  const usage = createUsageHandlers({ keys: options.keys, usage: options.usage });
  const overview = createOverviewHandlers(options.overview);
  const sessions = createSessionHandlers(options.sessions);
  const audit = createAuditHandlers(options.audit);
  const consoleFiles = createConsoleHandlers();
  const createApp = (authenticate: RequestHandler) =>
    createOpsApp({
      opsHosts,
      health,
      metrics,
      consoleFiles,
      admin: {
        authenticate,
        keys,
        operators,
        usage,
        overview,
        sessions,
        audit,
        createOpenApi: createAdminOpenApi,
      },
      report,
      onOpsEnd,
    });

  await using opened = new AsyncDisposableStack();
  if (dataDir !== undefined) {
    const socket = await openLocalSocket(dataDir, createApp(trustLocalUser()));
    opened.defer(() => socket.close());
  }
  const { opsHost: host, opsPort: port, adminToken, findOperator } = options;
  const listener = await openListener({ ...options, host, port, settings: 'OPS_' }, () =>
    createApp(
      authenticateOperator({ adminToken, findOperator, findSession: options.sessions.find }),
    ),
  );
  const kept = opened.move();
  return {
    origin: listener.origin,
    async close(graceMs) {
      await listener.close(graceMs);
      await kept.disposeAsync();
    },
  };
}
