import { createAdminOpenApi } from '@animal-store/contract/admin';
import { type ListenerTimeouts, openListener } from '../http/listener.ts';
import { answerMalformedRequests } from '../http/malformed-requests.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import type { OpsRequestRecord } from '../observability/log-ops-request.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { Health } from './health.ts';
import { createKeyHandlers } from './key-handlers.ts';
import { announceOpsUrl, keepAdminToken } from './local-access.ts';
import { createOpsApp } from './ops-app.ts';

/** The operators' listener. */
export interface Ops {
  /** Where it is, as `http://host:port`. */
  readonly origin: string;
  /** Whether there is an admin API: it takes a token to guard it. */
  readonly hasAdmin: boolean;
  close(graceMs: number): Promise<void>;
}

/**
 * Opens the operators' listener.
 *
 * @throws {StartupError} if the port or the host cannot be had.
 */
export async function openOps(
  options: ListenerTimeouts & {
    opsHost: string;
    opsPort: number;
    /** What guards the admin API; if there is none, `dataDir` keeps one. */
    adminToken: string | undefined;
    /** Where the embedded database is; `undefined` with Postgres. */
    dataDir: string | undefined;
    health: Health;
    metrics: Metrics;
    keys: KeyManagement;
    quotas: Quotas;
    report: (failure: unknown, requestId: string) => void;
    onOpsEnd: (record: OpsRequestRecord) => void;
  },
): Promise<Ops> {
  const { opsHost, opsPort, dataDir, health, metrics, keys, quotas, report, onOpsEnd } = options;
  const adminToken =
    options.adminToken ?? (dataDir === undefined ? undefined : await keepAdminToken(dataDir));
  const admin =
    adminToken === undefined
      ? undefined
      : {
          adminToken,
          keyHandlers: createKeyHandlers({ keys, quotas }),
          createOpenApi: createAdminOpenApi,
        };

  const listener = await openListener(
    { ...options, host: opsHost, port: opsPort, settings: 'OPS_' },
    (_port, server) => {
      answerMalformedRequests(server, {
        headersFor: async () => ({}),
        onEnd: (outcome) => onOpsEnd({ ...outcome, keyId: undefined, reasons: undefined }),
      });
      return createOpsApp({ health, metrics, admin, report, onOpsEnd });
    },
  );
  const withdraw =
    dataDir === undefined ? undefined : await announceOpsUrl(dataDir, listener.origin);
  return {
    origin: listener.origin,
    hasAdmin: admin !== undefined,
    async close(graceMs) {
      await withdraw?.();
      await listener.close(graceMs);
    },
  };
}
