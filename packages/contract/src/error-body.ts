import { z } from 'zod';
import { errorCodes } from './error-codes.ts';

/** The body of every response that is not a success. */
export interface ErrorBody {
  /** Machine-readable error code: an `ErrorCode`, or one that a newer service added. */
  code: string;
  /** Human-readable description, at most 1 kB. */
  message: string;
  /** The HTTP status code of the response. */
  status: number;
}

/** The largest length of an error message, in bytes of UTF-8. */
export const maxMessageBytes = 1024;

/**
 * Creates the schema of an Error body.
 *
 * @param codes the codes of the API, for the reference.
 * @param example the code whose message the reference shows.
 */
export function createErrorSchema<Code extends string>(
  codes: Readonly<Record<Code, { readonly status: number; readonly example?: string }>>,
  example: Code,
) {
  const { status, example: message } = codes[example];
  return z
    .object({
      code: z.string().meta({
        // The schema describes the codes and does not check them: a client must accept codes that a
        // later service adds.
        maxLength: 64,
        description:
          'Machine-readable error code. Codes are added within v1: handle an unknown code by its status.',
        examples: Object.keys(codes),
      }),
      message: z.string().meta({
        maxLength: maxMessageBytes,
        description: 'Human-readable description, at most 1 kB. It may change; do not parse it.',
        examples: [message],
      }),
      status: z.int().meta({
        format: 'int32',
        minimum: 400,
        maximum: 599,
        description: 'The HTTP status code of the response.',
        examples: [status],
      }),
    })
    .meta({
      id: 'Error',
      description: 'The body of every response that is not a success.',
      examples: [{ code: example, message, status }],
    });
}

/** @internal It is not in the client's declarations; see `pet.ts`. */
export const ErrorBody = createErrorSchema(
  errorCodes,
  'pet_not_found',
) satisfies z.ZodType<ErrorBody>;
