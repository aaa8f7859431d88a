import { join } from 'node:path';
import { repository, run } from './steps.mjs';

/** Checks the rules, and runs their tests, with promtool. */
export async function testRules() {
  const options = { cwd: join(repository, 'deploy/prometheus') };
  await run('promtool', ['check', 'config', 'prometheus.yml'], options);
  await run('promtool', ['check', 'rules', 'animal-store.rules.yaml'], options);
  await run('promtool', ['test', 'rules', 'animal-store.test.yaml'], {
    ...options,
    timeoutMs: 300_000,
  });
}
