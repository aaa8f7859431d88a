import { equal } from 'node:assert/strict';
import { join } from 'node:path';
import { repository, run } from './steps.mjs';

/**
 * Checks the alert rules and runs their tests with promtool. It also checks the routes of
 * Alertmanager with amtool.
 */
export async function testRules() {
  const options = { cwd: join(repository, 'deploy/prometheus'), timeoutMs: 300_000 };
  await run('amtool', ['check-config', 'alertmanager.yml'], options);
  for (const severity of ['page', 'ticket']) {
    const args = ['config', 'routes', 'test', '--config.file=alertmanager.yml'];
    const { stdout } = await run('amtool', [...args, `severity=${severity}`], options);
    equal(stdout.trim(), severity);
  }
  await run('promtool', ['check', 'config', 'prometheus.yml'], options);
  await run('promtool', ['check', 'rules', 'animal-store.rules.yaml'], options);
  await run('promtool', ['test', 'rules', 'animal-store.test.yaml'], options);
}
