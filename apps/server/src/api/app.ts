import type { Express } from 'express';
import { createExpress } from '../http/create-express.ts';
import { refusePath } from '../http/endpoints.ts';
import { errorMapper } from '../http/error-mapper.ts';
import { addFiles } from '../http/send-file.ts';
import { type LoadShedder, shedLoad } from '../http/shed-load.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { createPetHandlers } from '../pets/pet-handlers.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import type { GuideNumbers } from '../reference/guide-values.ts';
import { referenceHandlers } from '../reference/reference-handlers.ts';
import type { UsageCollector } from '../usage/usage-collector.ts';
import type { UsageOutcome } from '../usage/usage-entry.ts';
import { allowOrigins } from './cors.ts';
import { createQuotaEnforcement } from './enforce-quota.ts';
import { observeRequests } from './observe-requests.ts';
import { refuseOverload } from './refuse-overload.ts';
import type { RequestRecord, RequestTracing } from './request-record.ts';
import { addV1 } from './v1.ts';

export interface AppOptions extends GuideNumbers {
  readonly loadShedder: Pick<LoadShedder, 'enter' | 'leave'>;
  readonly keys: Pick<KeyCache, 'recall' | 'findByToken'>;
  readonly quotas: Quotas;
  readonly petHandlers: ReturnType<typeof createPetHandlers>;
  /** The base address that links show, ending in `/v1`. */
  readonly baseUrl: string;
  /** The origin of the staging environment, for the reference; `undefined` if there is none. */
  readonly stagingOrigin: string | undefined;
  /** Origins whose pages may call; `undefined` for any. */
  readonly corsOrigins: ReadonlySet<string> | undefined;
  /** How many proxies in front of the service add to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** Called for every 500. */
  readonly report: (failure: unknown, requestId: string) => void;
  /** Called for each finished request. */
  readonly onEnd: readonly ((record: RequestRecord) => void)[];
  /** Called for each request that is refused because of overload. No other observer learns of it. */
  readonly onShed: (method: string) => void;
  /** Counts each finished request that belongs in the usage ledger. */
  readonly countUsage: UsageCollector['count'];
  /** Counts live traffic. */
  readonly countTraffic: (outcome: UsageOutcome, durationMs: number) => void;
  readonly tracing: RequestTracing | undefined;
}

/** Creates the public API. It reads in the order of a request. */
export function createApp(options: AppOptions): Express {
  const { baseUrl, corsOrigins, trustedProxies } = options;
  const answerFailure = errorMapper(options.report);
  const files = referenceHandlers({ ...options, origin: new URL(baseUrl).origin });
  // Whatever needs no key: the reference, and paths that do not exist.
  const admission = [
    allowOrigins(corsOrigins),
    createQuotaEnforcement(options.quotas).enforcePageLimit,
  ];

  const app = createExpress();
  app.set('trust proxy', trustedProxies);
  app.use(shedLoad(options.loadShedder, refuseOverload(options)), observeRequests(options));
  addV1(app, options, answerFailure);
  addFiles(app, files, { folder: '/docs/', steps: admission });
  app.use(admission, refusePath, answerFailure);
  return app;
}
