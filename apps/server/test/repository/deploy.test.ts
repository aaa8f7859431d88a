import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { environmentVariables } from '../../src/config.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (file: string) => readFileSync(join(repository, file), 'utf8');

/** What the first group of a pattern matches in a text; all of its occurrences. */
const all = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, match = '']) => match);

describe('the Dockerfile', () => {
  const dockerfile = read('Dockerfile');

  test('is made from the Node that the workspace pins', () => {
    const [version] = all(read('pnpm-workspace.yaml'), /^nodeVersion: (\S+)$/gm);
    expect(all(dockerfile, /^ARG BASE=\S+\/node:([\d.]+)-/gm)).toEqual([version]);
  });

  test('names the version of the server', () => {
    const { version } = JSON.parse(read('apps/server/package.json'));
    expect(all(dockerfile, /^ARG VERSION=(\S+)$/gm)).toEqual([version]);
  });

  test('starts it with the flags of npm start', () => {
    const command = JSON.parse(all(dockerfile, /^CMD (\[.*\])$/gm)[0] ?? '');
    expect(command).toEqual(['node', ...nodeFlags, 'apps/server/src/main.ts']);
  });

  test('copies every package that the server depends on, and its manifest first', () => {
    const { dependencies } = JSON.parse(read('apps/server/package.json'));
    const folders = Object.keys(dependencies)
      .filter((name) => name.startsWith('@animal-store/'))
      .map((name) => name.slice('@animal-store/'.length))
      .map((name) => (name === 'contract' ? `packages/${name}` : `apps/${name}`));
    for (const folder of [...folders, 'apps/server']) {
      expect(dockerfile).toContain(`COPY ${folder}/package.json ${folder}/\n`);
      expect(dockerfile).toContain(`COPY ${folder} ${folder}\n`);
    }
  });
});

describe('settings', () => {
  const others = ['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD'];

  test('in Compose exist', () => {
    const compose = read('deploy/compose/compose.yaml');
    const names = all(compose, /^ {4,6}([A-Z][A-Z_]+):/gm).filter((name) => !/^GF_/.test(name));
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => ![...environmentVariables, ...others].includes(name))).toEqual(
      [],
    );
  });

  test('in Compose rotate the log of every service', () => {
    const services = read('deploy/compose/compose.yaml')
      .split(/^(?=x-server:| {2}[\w-]+:\n)/m)
      .filter((text) => /^ +image:/m.test(text));
    expect(services.length).toBeGreaterThan(5);
    expect(services.filter((text) => !/^ +logging: \*logging$/m.test(text))).toEqual([]);
  });

  test('in Compose have no default where they are secrets', () => {
    const compose = read('deploy/compose/compose.yaml');
    const secrets = all(compose, /\$\{(?:POSTGRES_PASSWORD|ADMIN_TOKEN)(.{2})/g);
    expect(secrets).toEqual([':?', ':?', ':?']);
  });

  test('in Kubernetes exist', () => {
    const names = [
      ...all(read('deploy/kubernetes/base/settings.env'), /^([A-Z_]+)=/gm),
      ...all(read('deploy/kubernetes/overlays/production/kustomization.yaml'), /- ([A-Z_]+)=/g),
    ];
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !environmentVariables.includes(name))).toEqual([]);
  });

  test('leave a stop enough time', () => {
    const compose = read('deploy/compose/compose.yaml');
    const grace = (text: string) =>
      Number(/SHUTDOWN_GRACE_MS[=:] ?'?(\d+)/.exec(text)?.[1]) / 1_000;
    // The grace, at most 10 s for what comes after it, and some to spare.
    const needed = (seconds: number) => seconds + 12;
    const [given] = all(compose, /^ {2}stop_grace_period: (\d+)s$/gm);
    expect(Number(given)).toBeGreaterThanOrEqual(needed(grace(compose)));
    const deployment = read('deploy/kubernetes/base/deployment.yaml');
    const [period] = all(deployment, /terminationGracePeriodSeconds: (\d+)/g);
    const settings = read('deploy/kubernetes/base/settings.env');
    expect(Number(period)).toBeGreaterThanOrEqual(needed(grace(settings)));
  });
});

describe('alerts', () => {
  const rules = read('deploy/prometheus/animal-store.rules.yaml');
  const operating = read('docs/operating.md');
  const [, runbook = ''] = operating.split('\n# Runbook\n');
  const sections = new Map(
    (runbook.split('\n# ')[0] ?? '')
      .split('\n## ')
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
  );
  const alerts = rules.split('- alert: ').slice(1);

  test('are there', () => {
    expect(alerts.length).toBeGreaterThan(15);
  });

  test.each(alerts.map((text) => [text.slice(0, text.indexOf('\n')), text]))(
    '%s links to its section in the runbook, which names it and says what to do',
    (name, text) => {
      const [anchor = ''] = all(text, /runbook_url: \S+\/docs\/operating\.md#(\S+)$/gm);
      const section = sections.get(anchor) ?? '';
      expect(section).toMatch(new RegExp(`\\*[^*]*\\b${name}\\b[^*]*\\*`));
      expect(all(section, /^\*\*(\w+)\.\*\*/gm)).toEqual([
        'Meaning',
        'Diagnosis',
        'Action',
        'Verification',
      ]);
    },
  );

  test('have a test of their own each', () => {
    const tests = read('deploy/prometheus/animal-store.test.yaml');
    const tested = new Set(all(tests, /alertname="(\w+)"/g));
    const names = all(rules, /- alert: (\w+)/g);
    expect([...tested].toSorted()).toEqual(names.toSorted());
  });

  test('are the same in Kubernetes', () => {
    const groups = rules.slice(rules.indexOf('groups:'));
    const rule = read('deploy/kubernetes/components/monitoring/prometheus-rule.yaml');
    const indented = groups.replaceAll(/^(?=.)/gm, '  ');
    expect(rule.slice(rule.indexOf('  groups:'))).toBe(indented);
  });
});

test('a step of npm run test:deploy that cannot run is named in the last line, and fails the run', () => {
  const script = join(repository, 'deploy/test-deployment.mjs');
  // Without apt-get on the PATH nothing is installed either.
  const { status, stdout } = spawnSync(process.execPath, [script, 'rules', 'image'], {
    encoding: 'utf8',
    env: { PATH: '' },
  });
  expect(stdout).toContain('SKIPPED image: buildah, podman, runc not installed: apt-get install ');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(
    '0 passed, 0 failed, 2 skipped: NOT TESTED HERE: rules, image',
  );
  expect(status).toBe(1);
});

test('docs/capacity.md has the table that the model computes', () => {
  const model = join(repository, 'deploy/capacity/model.mjs');
  const table = execFileSync(process.execPath, [model], { encoding: 'utf8' });
  expect(read('docs/capacity.md')).toContain(table);
});
