// `npm run test:deploy`: tests what is in this folder with real programs. Not part of `npm test`, which needs
// nothing but Node and npm. As root on Debian it installs what is missing. A step that cannot run is named in
// the last line, and the run has failed.
//
//   npm run test:deploy                 all steps
//   npm run test:deploy -- rules image  these steps

import { freePort, openPostgres } from '../packages/testkit/src/index.ts';
import { openContainers } from './test/containers.mjs';
import { installMissing, missingOf } from './test/programs.mjs';

const containerPrograms = ['buildah', 'podman', 'runc'];

/**
 * In this order: later ones use the image that an earlier one built. Beside them run the longest two: one
 * keeps a processor busy, the other mostly waits, for the time limits of HAProxy.
 */
const steps = [
  {
    name: 'rules',
    programs: ['amtool', 'promtool'],
    isBeside: true,
    load: async () => (await import('./test/rules.mjs')).testRules,
  },
  {
    name: 'kubernetes',
    programs: ['kubectl'],
    load: async () => (await import('./test/kubernetes.mjs')).testKubernetes,
  },
  {
    name: 'dashboards',
    programs: ['prometheus'],
    load: async () => (await import('./test/dashboards.mjs')).testDashboards,
  },
  {
    name: 'load-balancer',
    programs: ['haproxy'],
    isBeside: true,
    load: async () => (await import('./test/haproxy.mjs')).testLoadBalancer,
  },
  {
    name: 'compatibility',
    programs: ['openssl', 'redis-server'],
    load: async () => (await import('./test/compatibility.mjs')).testCompatibility,
  },
  {
    name: 'pooler',
    programs: ['pgbouncer'],
    load: async () => (await import('./test/pooler.mjs')).testPooler,
  },
  {
    name: 'backup',
    programs: ['pg_basebackup', 'pg_dump'],
    load: async () => (await import('./test/backup.mjs')).testBackup,
  },
  {
    name: 'image',
    programs: containerPrograms,
    asRoot: true,
    load: async () => (await import('./test/image.mjs')).testImage,
  },
  {
    name: 'pod',
    programs: [...containerPrograms, 'catatonit', 'iptables', 'kubectl'],
    asRoot: true,
    needs: 'image',
    load: async () => (await import('./test/pod.mjs')).testPod,
  },
  {
    name: 'compose',
    programs: [...containerPrograms, 'podman-compose', 'iptables', 'haproxy'],
    asRoot: true,
    needs: 'image',
    load: async () => (await import('./test/compose.mjs')).testCompose,
  },
];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(
    `No such step: ${unknown.join(', ')}. There are: ${steps.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}

/** Why a step cannot run here, or `undefined`. */
function obstacle({ programs, asRoot, needs }, results) {
  const missing = missingOf(programs);
  if (missing !== undefined) return missing;
  if (asRoot && process.getuid() !== 0) return 'only root can';
  if (needs !== undefined && results.get(needs) !== 'passed') return `needs the step "${needs}"`;
  return undefined;
}

const scope = new AsyncDisposableStack();
let containers;
let postgres;
const context = {
  get containers() {
    containers ??= openContainers(scope);
    return containers;
  },
  /** In one Postgres for all steps that neither stop it nor configure it. */
  async createDatabase() {
    postgres ??= openPostgres().then((opened) => scope.use(opened));
    return (await postgres).createDatabase();
  },
  freePort,
};
const results = new Map();
const chosen = steps.filter(({ name }) => asked.length === 0 || asked.includes(name));
installMissing(chosen.flatMap(({ programs }) => programs));
const beside = chosen.filter(({ isBeside }) => isBeside).map(runStep);
for (const step of chosen) if (!step.isBeside) await runStep(step);
await Promise.all(beside);
await scope.disposeAsync();

async function runStep(step) {
  const reason = obstacle(step, results);
  if (reason !== undefined) {
    console.log(`SKIPPED ${step.name}: ${reason}`);
    results.set(step.name, 'skipped');
    return;
  }
  const startedAt = performance.now();
  const say = (text) => console.log(`  ${step.name}: ${text}`);
  const stepScope = new AsyncDisposableStack();
  try {
    const test = await step.load();
    await test({
      ...context,
      containers: step.asRoot ? context.containers : undefined,
      say,
      scope: stepScope,
    });
    console.log(`passed ${step.name}, ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    results.set(step.name, 'passed');
  } catch (error) {
    console.error(`FAILED ${step.name}:`, error);
    results.set(step.name, 'failed');
  } finally {
    await stepScope.disposeAsync();
  }
}

const count = (wanted) => [...results.values()].filter((result) => result === wanted).length;
const skipped = [...results].filter(([, result]) => result === 'skipped').map(([name]) => name);
const untested = skipped.length === 0 ? '' : `: NOT TESTED HERE: ${skipped.join(', ')}`;
console.log(
  `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped${untested}`,
);
process.exitCode = count('passed') === results.size ? 0 : 1;
