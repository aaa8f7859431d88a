import type { ServerInferResponses } from '@ts-rest/core';
import { expectTypeOf } from 'vitest';
import type { z } from 'zod';
import type { ErrorBody } from './error-body.ts';
import type { QuotaWindow, RateLimitStatus, rateLimitStatusContract } from './rate-limit-status.ts';

type Response = ServerInferResponses<typeof rateLimitStatusContract>['getRateLimit'];

expectTypeOf<Response['status']>().toEqualTypeOf<200 | 401 | 403 | 429 | 500 | 503>();
expectTypeOf<Extract<Response, { status: 200 }>['body']>().not.toBeAny();
expectTypeOf<Extract<Response, { status: 200 }>['body']>().toEqualTypeOf<RateLimitStatus>();
expectTypeOf<Extract<Response, { status: 429 }>['body']>().toEqualTypeOf<ErrorBody>();

// Each type is its schema's output, in both directions.
expectTypeOf<z.output<typeof RateLimitStatus>>().toEqualTypeOf<RateLimitStatus>();
expectTypeOf<z.output<typeof QuotaWindow>>().toEqualTypeOf<QuotaWindow>();
