import { z } from 'zod';
import { errorCodes } from './error-codes.ts';

/** The body of every error response. */
export interface ErrorBody {
  /**
   * The machine-readable error code: an `ErrorCode`, or a code that a newer version of the service
   * has added.
   */
  code: string;
  /** A description for people, at most 1 kB long. */
  message: string;
  /** The HTTP status code of the response. */
  status: number;
}

/** The maximum length of an error message, in bytes of UTF-8. */
export const maxMessageBytes = 1024;

/**
 * Creates the schema of an error body.
 *
 * @param codes the error codes of the API. The API reference lists them as examples.
 * @param example the code that the reference shows in its example.
 */
export function createErrorSchema<Code extends string>(
  codes: Readonly<Record<Code, { readonly status: number; readonly example?: string }>>,
  example: Code,
) {
  const { status, example: message } = codes[example];
  return z
    .object({
      code: z.string().meta({
        // The schema lists the codes as examples, and accepts any other code. A client must accept
        // codes that a later version of the service adds.
        maxLength: 64,
        description:
          'The machine-readable error code. New codes may be added within v1, so handle an unknown code by its status.',
        examples: Object.keys(codes),
      }),
      message: z.string().meta({
        maxLength: maxMessageBytes,
        description:
          'A description for people, at most 1 kB. The text may change, so do not parse it.',
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

/**
 * @internal The declarations of the client must not contain this schema, because they must not
 *   mention zod.
 */
export const ErrorBody = createErrorSchema(
  errorCodes,
  'pet_not_found',
) satisfies z.ZodType<ErrorBody>;
