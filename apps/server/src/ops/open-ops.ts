import { createAdminOpenApi } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { type ListenerLimits, openListener } from '../http/listener.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { Health } from './health.ts';
import { createKeyHandlers } from './key-handlers.ts';
import { openLocalSocket } from './local-socket.ts';
import { createOpsApp } from './ops-app.ts';
import { requireAdminToken } from './require-admin-token.ts';

/** The operators' listener. */
export interface Ops {
  /** Where it is, as `http://host:port`. */
  readonly origin: string;
  /** Whether the port offers the admin API. */
  readonly hasAdmin: boolean;
  close(graceMs: number): Promise<void>;
}

/**
 * Opens the operators' listener.
 *
 * @throws {StartupError} if the port or the host cannot be had.
 */
export async function openOps(
  options: ListenerLimits & {
    opsHost: string;
    opsPort: number;
    opsHosts: readonly string[];
    /** Guards the admin API on the port; without one there is none there. */
    adminToken: string | undefined;
    /** Holds the socket of the embedded server's own user; `undefined` with Postgres. */
    dataDir: string | undefined;
    health: Health;
    metrics: Metrics;
    keys: KeyManagement;
    quotas: Quotas;
    report: (failure: unknown, requestId?: string) => void;
    onOpsEnd: (record: OpsRequestRecord) => void;
  },
): Promise<Ops> {
  const { opsHost, opsPort, opsHosts, adminToken, dataDir, health, metrics, keys, quotas } =
    options;
  const { report, onOpsEnd } = options;
  const createApp = (authenticate: RequestHandler | undefined) =>
    createOpsApp({
      opsHosts,
      health,
      metrics,
      admin:
        authenticate === undefined
          ? undefined
          : {
              authenticate,
              keyHandlers: createKeyHandlers({ keys, quotas }),
              createOpenApi: createAdminOpenApi,
            },
      report,
      onOpsEnd,
    });

  await using opened = new AsyncDisposableStack();
  if (dataDir !== undefined) {
    // Whoever can connect is the user that the server runs as: no token is needed.
    const socket = await openLocalSocket(
      dataDir,
      createApp((_req, _res, next) => next()),
    );
    opened.defer(() => socket.close());
  }
  const listener = await openListener(
    { ...options, host: opsHost, port: opsPort, settings: 'OPS_' },
    () => createApp(adminToken === undefined ? undefined : requireAdminToken(adminToken)),
  );
  const kept = opened.move();
  return {
    origin: listener.origin,
    hasAdmin: adminToken !== undefined,
    async close(graceMs) {
      await listener.close(graceMs);
      await kept.disposeAsync();
    },
  };
}
