import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFlags, repository } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { environmentVariables } from '../../src/config.ts';

const read = (file: string) => readFileSync(join(repository, file), 'utf8');

/** Returns the first group of each match of a pattern in a text. */
const all = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, match = '']) => match);

const compose = read('deploy/compose/compose.yaml');
const settings = read('deploy/kubernetes/base/settings.env');

test('the Dockerfile uses the Node version of the workspace and the flags of npm start', () => {
  const dockerfile = read('Dockerfile');
  const { version } = JSON.parse(read('apps/server/package.json'));
  expect({
    node: all(dockerfile, /^ARG BASE=\S+\/node:([\d.]+)-/gm),
    version: all(dockerfile, /^ARG VERSION=(\S+)$/gm),
    command: JSON.parse(all(dockerfile, /^CMD (\[.*\])$/gm)[0] ?? ''),
  }).toEqual({
    node: all(read('pnpm-workspace.yaml'), /^nodeVersion: (\S+)$/gm),
    version: [version],
    command: ['node', ...nodeFlags, 'apps/server/src/main.ts'],
  });
});

test('the Compose and Kubernetes files set only variables that the service has', () => {
  const ofPostgres = [
    ...['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD', 'SERVICE_PASSWORD'],
    ...['PGHOST', 'PGUSER', 'PGDATABASE', 'PGPASSWORD'],
  ];
  const names = [
    ...all(compose, /^ {4,6}((?!GF_|MEMORY_MAX_TRACES)[A-Z][A-Z_]+):/gm),
    ...all(settings, /^([A-Z_]+)=/gm),
    ...all(read('deploy/kubernetes/overlays/production/kustomization.yaml'), /- ([A-Z_]+)=/g),
  ];
  expect(names.length).toBeGreaterThan(8);
  const known = [...environmentVariables, ...ofPostgres];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

test('the secrets in the Compose file have no default value, and the error for a missing secret names the documentation', () => {
  const secrets = all(compose, /\$\{(?:POSTGRES_PASSWORD|SERVICE_PASSWORD|ADMIN_TOKEN)(.*?)\}/g);
  expect(secrets).toEqual(Array(6).fill(':?see deploy/README.md, Compose'));
});

// Regression: some commands lacked these options, so they failed in the root folder, or showed the
// pods of another namespace.
test('the commands in the documentation of operators name the Compose file and the namespace', () => {
  const text = ['docs/operating.md', 'deploy/README.md'].map(read).join('\n');
  const commands = all(text, /\b((?:docker compose|kubectl) (?:--?)?[a-z]+(?: [a-z]+)?)/g);
  const places = [
    'docker compose --file',
    'kubectl --namespace',
    'kubectl apply',
    'kubectl create',
  ];
  expect(commands.length).toBeGreaterThan(15);
  expect(commands.filter((command) => !places.some((place) => command.startsWith(place)))).toEqual([
    // The table of tested versions names this command as not tested.
    'docker compose build',
  ]);
});

// The service must not be a superuser, because it could then change the audit log.
// `least-privilege.test.ts` tests the permissions with a real Postgres.
test('the Compose file gives the service a database role with exactly the permissions that docs/operating.md lists', () => {
  expect(all(compose, /DATABASE_URL: postgres:\/\/(\w+):/g)).toEqual([
    'animal_store_service',
    'animal_store',
  ]);
  const rights = read('deploy/compose/rights.sql');
  const [, listed = ''] =
    /## Least rights[\s\S]*?```sql\n([\s\S]*?)```/.exec(read('docs/operating.md')) ?? [];
  const names: Record<string, string> = {
    animals: 'animal_store',
    owner_role: 'animal_store',
    service_role: 'animal_store_service',
  };
  const expected = listed.replaceAll(
    /\b(?:animals|owner_role|service_role)\b/g,
    (it) => names[it] ?? it,
  );
  expect(rights.slice(rights.indexOf('grant connect'))).toBe(expected);
});

test('the Compose file sets no default login for Grafana, because everyone would know it', () => {
  expect(compose).toMatch(/GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true'/);
  expect(compose).toMatch(/GF_AUTH_DISABLE_LOGIN_FORM: 'true'/);
});

test('the release workflow runs no tests in the job that has permission to publish', () => {
  const jobs = read('.github/workflows/release.yml').split(/^ {2}(?=\w+:\n)/m);
  const publishing = jobs.filter((job) => job.includes('id-token: write'));
  expect(publishing).toHaveLength(1);
  expect(publishing[0]).not.toContain('.ci/run');
});

// An attacker who takes over the repository of an action can move its tags to other code, but
// cannot change its commits. So a workflow must not name an action by a tag.
test('every workflow pins each action to a commit, and names the version in a comment', () => {
  const workflows = globSync('.github/workflows/*.{yml,yaml}', { cwd: repository });
  const actions = workflows.flatMap((file) => all(read(file), /^ *(?:- )?uses: *(.*)$/gm));
  expect(actions).not.toEqual([]);
  expect(actions.filter((it) => !/^[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(it))).toEqual([]);
});

test('every service in the Compose file rotates its log', () => {
  const services = compose
    .split(/^(?=x-server:| {2}[\w-]+:\n)/m)
    .filter((text) => /^ +image:/m.test(text));
  expect(services.length).toBeGreaterThan(5);
  expect(services.filter((text) => !/^ +logging: \*logging$/m.test(text))).toEqual([]);
});

test('the Compose and Kubernetes files give the service enough time to shut down', () => {
  const graceMs = (text: string) => Number(/SHUTDOWN_GRACE_MS[=:] ?'?(\d+)/.exec(text)?.[1]);
  // At a shutdown, the service accepts requests until the end of its grace period. Then it needs up
  // to 10 s to close everything. If request counts or bans were lost, it also waits up to 20 s for
  // the last scrape of its metrics.
  const needed = (text: string) => graceMs(text) / 1_000 + 30;
  const [given] = all(compose, /^ {2}stop_grace_period: (\d+)s$/gm);
  expect(Number(given)).toBeGreaterThanOrEqual(needed(compose));
  const deployment = read('deploy/kubernetes/base/deployment.yaml');
  const [period] = all(deployment, /terminationGracePeriodSeconds: (\d+)/g);
  expect(Number(period)).toBeGreaterThanOrEqual(needed(settings));
});

describe('alert rules', () => {
  const rules = read('deploy/prometheus/animal-store.rules.yaml');

  test('every alert links to a section of the runbook with the name of the alert', () => {
    const [, runbook = ''] = read('docs/operating.md').split('\n# Runbook\n');
    const sections = new Map(
      runbook.split('\n## ').map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
    );
    const alerts = rules.split('- alert: ').slice(1);
    expect(alerts.length).toBeGreaterThan(15);
    const lost = alerts.filter((text) => {
      const [name] = text.split('\n', 1);
      const [anchor = ''] = all(text, /runbook_url: \S+\/docs\/operating\.md#(\S+)$/gm);
      return !new RegExp(`\\*[^*]*\\b${name}\\b[^*]*\\*`).test(sections.get(anchor) ?? '');
    });
    expect(lost).toEqual([]);
  });

  test('every alert rule is the same for Prometheus and for Kubernetes', () => {
    const groups = rules.slice(rules.indexOf('groups:'));
    const rule = read('deploy/kubernetes/components/monitoring/prometheus-rule.yaml');
    const indented = groups.replaceAll(/^(?=.)/gm, '  ');
    expect(rule.slice(rule.indexOf('  groups:'))).toBe(indented);
  });
});

test('docs/capacity.md contains the table that the capacity model calculates', () => {
  const model = join(repository, 'deploy/capacity/model.mjs');
  const table = execFileSync(process.execPath, [model], { encoding: 'utf8' });
  expect(read('docs/capacity.md')).toContain(table);
});
