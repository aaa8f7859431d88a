export { describeErrors, type ErrorReference } from './error-reference.ts';
export type { JsonObject } from './json-schema.ts';
export { createOpenApi, exampleOrigins, type OpenApiOptions } from './public-openapi.ts';
