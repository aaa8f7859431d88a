import { DatabaseError } from '@animal-store/postgres';
import type { Attributes } from '@opentelemetry/api';
import * as semconv from '@opentelemetry/semantic-conventions';

/**
 * Returns the span attributes of an SQL statement. The operation is the name of the statement in
 * the code, because OpenTelemetry's conventions advise against parsing SQL for it.
 */
export const statementAttributes = (statement: string): Attributes => ({
  [semconv.ATTR_DB_SYSTEM_NAME]: semconv.DB_SYSTEM_NAME_VALUE_POSTGRESQL,
  [semconv.ATTR_DB_OPERATION_NAME]: statement,
  [semconv.ATTR_DB_QUERY_SUMMARY]: statement,
});

/** Returns the span attributes of a Redis command. */
export const commandAttributes = (command: string): Attributes => ({
  // OpenTelemetry's package of semantic conventions has no constant for the name of Redis.
  [semconv.ATTR_DB_SYSTEM_NAME]: 'redis',
  [semconv.ATTR_DB_OPERATION_NAME]: command,
});

/** Returns the span attributes of a Lua script in Redis. */
export const scriptAttributes = (script: string): Attributes => ({
  ...commandAttributes('evalsha'),
  [semconv.ATTR_DB_STORED_PROCEDURE_NAME]: script,
});

/**
 * Returns the span attributes of a failed call. The error message is left out, because it may
 * repeat arguments.
 */
export function failureAttributes(error: unknown): Attributes {
  if (!(error instanceof DatabaseError)) return { [semconv.ATTR_ERROR_TYPE]: 'Error' };
  const { code } = error;
  return {
    [semconv.ATTR_ERROR_TYPE]: code,
    // The database sends SQLSTATE codes. Other codes come from the driver and are not a response of
    // the database.
    ...(/^[\dA-Z]{5}$/.test(code) && { [semconv.ATTR_DB_RESPONSE_STATUS_CODE]: code }),
  };
}
