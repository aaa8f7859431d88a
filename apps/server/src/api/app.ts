import { contract, errorMessages, rateLimitStatusContract } from '@animal-store/contract';
import { createExpressEndpoints } from '@ts-rest/express';
import { type Express, type RequestHandler, Router } from 'express';
import { ApiError } from '../http/api-error.ts';
import { createExpress } from '../http/create-express.ts';
import { endpointOptions } from '../http/endpoint-options.ts';
import { errorMapper } from '../http/error-mapper.ts';
import { jsonBody } from '../http/json-body.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { createPetHandlers } from '../pets/pet-handlers.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { identify, requireKey } from './authenticate.ts';
import { cors, preflight } from './cors.ts';
import { enforceQuota, showQuotaOnFailure } from './enforce-quota.ts';
import { findOperation, requireOperation } from './known-operation.ts';
import './api-locals.ts';
import { requestId } from '../http/request-id.ts';
import { responseHeaders } from '../http/response-headers.ts';
import type { GuideNumbers } from '../reference/guides.ts';
import { reference } from '../reference/reference.ts';
import { observeRequests, type RequestRecord, type RequestTracing } from './observe-requests.ts';
import { createRateLimitStatusHandlers } from './rate-limit-status.ts';

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
  app.use(responseHeaders());
  app.use(cors(options.corsOrigins));

  const v1 = Router({ caseSensitive: true, strict: true });
  v1.use(findOperation(baseUrl));
  v1.use(shedLoad);
  v1.use(preflight(quotas));
  v1.use(identify(keys, quotas), enforceQuota(quotas), requireKey());
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
  createExpressEndpoints(
    rateLimitStatusContract,
    createRateLimitStatusHandlers(quotas),
    v1,
    endpointOptions,
  );
  v1.get('/store/orders', () => {
    throw new ApiError('not_implemented', errorMessages.not_implemented);
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
