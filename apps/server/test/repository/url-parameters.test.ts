import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresParameters } from '@animal-store/postgres/postgres-url';
import { redisParameters } from '@animal-store/quotas/redis-url';
import { repository } from '@animal-store/testkit';
import { expect, test } from 'vitest';

const settings = readFileSync(join(repository, 'docs/settings.md'), 'utf8');

test.each([
  ['DATABASE_URL', postgresParameters],
  ['REDIS_URL', redisParameters],
])(
  'docs/settings.md lists every URL parameter of %s and how the service handles it',
  (_, rules) => {
    for (const [name, { kind, check, hint }] of Object.entries(rules)) {
      const detail = [check?.[1], hint].filter(Boolean).join('; ');
      expect(settings).toContain(`| \`${name}\` | ${kind} | ${detail} |\n`);
    }
  },
);
