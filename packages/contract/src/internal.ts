// These exports are for the other packages of this workspace, and are not published.

export { createErrorSchema } from './error-body.ts';
export { defineErrors, errorCodes } from './error-codes.ts';
export { createMisspeltNameFinder, misspeltPetParameters } from './misspelt-name.ts';
export { Name } from './name-schema.ts';
export { createResponseWriter } from './openapi/describe-responses.ts';
export { createPaths, type OperationNotes } from './openapi/document-paths.ts';
export { createSchemaWriter, type JsonObject } from './openapi/json-schema.ts';
export { responseHeaders } from './openapi/response-headers.ts';
export { PageCursor, PageLimit } from './page-parameters.ts';
