import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('what peers share with the service has the same version', () => {
  const catalog = read('../../../../pnpm-workspace.yaml');
  const { dependencies } = JSON.parse(read('../../package.json')) as {
    dependencies: Record<string, string>;
  };
  const shared = ['express', 'ioredis', 'lru-cache'];
  for (const name of shared) {
    const [, version] = new RegExp(`^  ${name}: (.+)$`, 'm').exec(catalog) ?? [];
    expect({ name, version: dependencies[name] }).toEqual({ name, version });
  }
});
