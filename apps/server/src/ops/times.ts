import { ApiError } from '../http/api-error.ts';

/** The times of a key or operator, and of its tokens. */
interface Times {
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly tokens: readonly {
    readonly prefix: string;
    readonly createdAt: Date;
    readonly expiresAt: Date | null;
  }[];
}

/** Writes the times of a key or operator as the contract has them: ISO 8601 in UTC. */
export function toTimes({ createdAt, expiresAt, revokedAt, tokens }: Times) {
  return {
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    tokens: tokens.map((token) => ({
      prefix: token.prefix,
      createdAt: token.createdAt.toISOString(),
      expiresAt: token.expiresAt?.toISOString() ?? null,
    })),
  };
}

/** Reads an expiry, which must be in the future. */
export function readExpiry(expiresAt: string | undefined): Date | undefined {
  if (expiresAt === undefined) return undefined;
  const instant = new Date(expiresAt);
  if (instant.getTime() > Date.now()) return instant;
  throw new ApiError('invalid_request', 'expiresAt: expected a time to come');
}
