import { contract } from '@animal-store/contract';
import type { GuideNumbers } from '@animal-store/contract/openapi';
import { createExpressEndpoints } from '@ts-rest/express';
import { type Express, type RequestHandler, Router } from 'express';
import { ApiError } from '../api-error.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { createPetHandlers } from '../pets/pet-handlers.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { identify, requireKey } from './authenticate.ts';
import { cors, preflight } from './cors.ts';
import { createExpress } from './create-express.ts';
import { endpointOptions } from './endpoint-options.ts';
import { enforceQuota, showQuotaOnFailure } from './enforce-quota.ts';
import { errorMapper } from './error-mapper.ts';
import { jsonBody } from './json-body.ts';
import { findOperation, requireOperation } from './known-operation.ts';
import './locals.ts';
import { observeRequests, type RequestRecord, type RequestTracing } from './observe-requests.ts';
import { reference } from './reference.ts';
import { requestId } from './request-id.ts';
import { requireHost } from './require-host.ts';
import { responseManners } from './response-manners.ts';

export interface AppOptions extends GuideNumbers {
  readonly shedLoad: RequestHandler;
  readonly keys: Pick<KeyCache, 'findByToken'>;
  readonly quotas: Quotas;
  readonly petHandlers: ReturnType<typeof createPetHandlers>;
  /** The base address that links show, ending in `/v1`. */
  readonly baseUrl: string;
  /** The origin of the staging environment, for the reference; `undefined` if there is none. */
  readonly stagingOrigin: string | undefined;
  /** Origins whose pages may call; `undefined` for any. */
  readonly corsOrigins: ReadonlySet<string> | undefined;
  /** How many proxies stand before the service and tell the caller's address. */
  readonly trustedProxies: number;
  readonly maxBodyBytes: number;
  /** Is told of failures that are ours. */
  readonly report: (failure: unknown, requestId: string) => void;
  /** Is told of each request once it is over. */
  readonly onEnd: (record: RequestRecord) => void;
  readonly tracing: RequestTracing | undefined;
}

/** The public API. It reads top to bottom as a request meets it. */
export function createApp(options: AppOptions): Express {
  const { shedLoad, keys, quotas, petHandlers, baseUrl } = options;

  const app = createExpress();
  app.set('trust proxy', options.trustedProxies);

  app.use(requestId());
  app.use(observeRequests(options));
  app.use(responseManners());
  app.use(cors(options.corsOrigins));

  const v1 = Router({ caseSensitive: true, strict: true });
  v1.use(findOperation(baseUrl));
  v1.use(shedLoad);
  v1.use(requireHost());
  v1.use(preflight(quotas));
  v1.use(identify(keys), enforceQuota(quotas), requireKey());
  v1.use(requireOperation());
  createExpressEndpoints(
    contract,
    {
      ...petHandlers,
      createPet: {
        middleware: [jsonBody({ maxBytes: options.maxBodyBytes })],
        handler: petHandlers.createPet,
      },
    },
    v1,
    endpointOptions,
  );
  v1.get('/store/orders', () => {
    throw new ApiError('not_implemented', 'The order listing is experimental, and not there yet.');
  });
  v1.use(showQuotaOnFailure(quotas));
  app.use('/v1', v1);

  app.use(reference({ ...options, origin: new URL(baseUrl).origin }));
  app.use(() => {
    throw new ApiError('not_found', 'There is no such path. The API is under /v1.');
  });
  app.use(errorMapper(options.report));
  return app;
}
