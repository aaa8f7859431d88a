import { join } from 'node:path';
import { expect, repository, run } from './steps.mjs';

/** Checks the rules, and runs their tests, with promtool; and where Alertmanager sends alerts, with amtool. */
export async function testRules() {
  await testRoutes();
  const options = { cwd: join(repository, 'deploy/prometheus') };
  await run('promtool', ['check', 'config', 'prometheus.yml'], options);
  await run('promtool', ['check', 'rules', 'animal-store.rules.yaml'], options);
  await run('promtool', ['test', 'rules', 'animal-store.test.yaml'], {
    ...options,
    timeoutMs: 300_000,
  });
}

async function testRoutes() {
  const file = join(repository, 'deploy/prometheus/alertmanager.yml');
  await run('amtool', ['check-config', file]);
  for (const severity of ['page', 'ticket']) {
    const ask = ['config', 'routes', 'test', `--config.file=${file}`, `severity=${severity}`];
    const { stdout } = await run('amtool', ask);
    expect(stdout.trim() === severity, `Alerts of severity ${severity} go to ${stdout}`);
  }
}
