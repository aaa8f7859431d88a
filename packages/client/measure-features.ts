import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** For each feature, what its modules export where the client does without it. */
const features: Record<string, Record<string, string>> = {
  'waiting for the quota, and never a ban': {
    'quota-gate.ts': `export const createQuotaGate = () =>
      async (exchange, { signal }) => ({ answer: await exchange(signal) });`,
  },
  'no key in any error': { 'redact.ts': 'export const createRedact = () => (value) => value;' },
  'exact 64-bit integers': {
    'exact-json.ts': 'export const { parse: parseJson, stringify: stringifyJson } = JSON;',
  },
  'warnings of deprecation': {
    'deprecation.ts': 'export const createNoticeDeprecation = () => () => {};',
  },
  'loops over all pages': { 'each-pet.ts': 'export const createPetList = () => ({});' },
  'cursors that resume': {
    'page-cursor.ts': `export const parseCursor = (cursor) => ({
      cursor, read: (pets) => ({ pets }) });`,
  },
  'hooks and logger': { 'hooks.ts': 'export const createTell = () => () => {};' },
  'retries with backoff': { 'retry-delay.ts': 'export const retryDelayMs = () => undefined;' },
  'keys that rotate': {
    'api-key-source.ts': `export const createApiKeySource = (key) => [
      async () => key, async () => false];`,
  },
  'classes for 403': {
    'insufficient-scope-error.ts': `export { ApiError as InsufficientScopeError } from './api-error.ts';`,
    'key-suspended-error.ts': `export { ApiError as KeySuspendedError } from './api-error.ts';`,
  },
  'hints at CORS and no network': {
    'describe-no-answer.ts': 'export const describeNoAnswer = (baseUrl) => baseUrl;',
  },
};

/** The size of all of the client, minified and gzipped, and what each feature has of it, in bytes. */
export async function measureFeatures() {
  const total = await measure({});
  const costs = Object.entries(features).map(
    async ([name, modules]) => [name, total - (await measure(modules))] as const,
  );
  return { total, costs: await Promise.all(costs) };
}

async function measure(modules: Record<string, string>): Promise<number> {
  await using bundle = await rolldown({
    input: join(import.meta.dirname, 'src/index.ts'),
    platform: 'neutral',
    transform: { target: 'es2022' },
    treeshake: { propertyReadSideEffects: false },
    plugins: [
      {
        name: 'without-a-feature',
        load: (id) => modules[id.split('/').at(-1) ?? ''],
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  return gzipSync(output[0].code).length;
}
