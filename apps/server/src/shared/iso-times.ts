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

/** Writes the times of a key or operator as the admin contract has them: ISO 8601 in UTC. */
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
