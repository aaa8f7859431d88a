import type { z } from 'zod';
import type { JsonObject } from './json-schema.ts';

/**
 * Returns the message with which the service refuses an invalid parameter or body. The text about
 * the expected value comes from the schema.
 */
export function invalidRequestMessage(
  { pathParams, query, body }: { pathParams?: unknown; query?: unknown; body?: unknown },
  refused: JsonObject,
): string {
  for (const schema of [pathParams, query, body]) {
    if (typeof schema !== 'object') continue;
    const issue = (schema as z.ZodType)
      .safeParse(refused)
      .error?.issues.find(({ path: [member] }) => String(member) in refused);
    const [member] = issue?.path ?? [];
    if (issue !== undefined && member !== undefined) {
      return `${String(member)}: ${issue.message}, got ${JSON.stringify(refused[String(member)])}`;
    }
  }
  throw new TypeError(
    `The contract accepts ${JSON.stringify(refused)}, but an example of a 400 must be invalid.`,
  );
}
