import type { z } from 'zod';
import { ErrorBody } from '../error.ts';
import type { JsonObject } from './json-schema.ts';

/** What a document says of the Error body, given the codes that its API has. */
export function errorNotes({
  codes,
  example,
}: {
  codes: readonly string[];
  example: ErrorBody;
}): Map<z.core.$ZodType, JsonObject> {
  return new Map<z.core.$ZodType, JsonObject>([
    [
      ErrorBody,
      { description: 'The body of every answer that is not a success.', examples: [example] },
    ],
    [
      ErrorBody.shape.code,
      {
        description:
          'Machine-readable error code. Within v1 codes are only added: treat one that you do not know by its status.',
        examples: codes,
      },
    ],
    [
      ErrorBody.shape.message,
      {
        description: 'Human-readable description, at most 1 kB. It may change; do not parse it.',
        examples: [example.message],
      },
    ],
    [
      ErrorBody.shape.status,
      {
        format: 'int32',
        minimum: 400,
        maximum: 599,
        description: 'The HTTP status code of the response.',
        examples: [example.status],
      },
    ],
  ]);
}
