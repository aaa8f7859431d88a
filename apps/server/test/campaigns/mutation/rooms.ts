/** The rooms that are mutated: which files of `test` are to notice, beside the tests of rules in the room itself. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  accounts: ['accounts/*', 'audit/*'],
  api: ['http/*', 'keys/*', 'operations/*', 'quotas/rate-limits', 'reference/{error,ref}*'],
  http: ['http/*', 'wire/*', 'pets/pets', 'reference/{error,ref}*'],
  keys: ['keys/*', 'accounts/*', 'admin/{hostile*,keys,overview}', 'audit/*'],
  pets: ['pets/*', 'operations/log-lines', 'reference/{error,ref}*'],
  quotas: ['quotas/*', 'redis/*'],
  usage: ['usage/*', 'admin/{history,keys}'],
};

/** What is expected of the samples that CONTRIBUTING.md has the scores of, with some room for other seeds. */
export const leastScores: Readonly<Record<string, number>> = {};
