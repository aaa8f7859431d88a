// `npm run test:deploy` tests this folder with real programs. It is not part of `npm test`, which needs only Node
// and npm. As root on Debian, it installs missing programs. If a step cannot run, the command fails, and its last
// line names the step.
//
//   npm run test:deploy                 runs all steps
//   npm run test:deploy -- rules image  runs only these steps

import { freePort, openPostgres } from '../packages/testkit/src/index.ts';
import { testBackup } from './test/backup.mjs';
import { testCompatibility } from './test/compatibility.mjs';
import { testCompose } from './test/compose.mjs';
import { openContainers } from './test/containers.mjs';
import { testDashboards } from './test/dashboards.mjs';
import { testLoadBalancer } from './test/haproxy.mjs';
import { testImage } from './test/image.mjs';
import { testKubernetes } from './test/kubernetes.mjs';
import { testPooler } from './test/pooler.mjs';
import { installMissing, missingOf } from './test/programs.mjs';
import { testRules } from './test/rules.mjs';
import { testSlowness } from './test/slowness.mjs';

const container = ['buildah', 'podman', 'runc'];

/**
 * The steps in the order in which they run. `compose` comes after `image`, because it uses the
 * built image. The two longest steps, `rules` and `load-balancer`, run in parallel with the other
 * steps. `rules` uses a single processor, and `load-balancer` mostly waits for HAProxy's timeouts.
 */
const steps = {
  rules: { test: testRules, programs: ['amtool', 'promtool'], isParallel: true },
  kubernetes: { test: testKubernetes, programs: ['kubectl'] },
  dashboards: { test: testDashboards, programs: ['prometheus'] },
  'load-balancer': { test: testLoadBalancer, programs: ['haproxy'], isParallel: true },
  compatibility: { test: testCompatibility, programs: ['openssl', 'redis-server'] },
  pooler: { test: testPooler, programs: ['pgbouncer'] },
  slowness: { test: testSlowness, programs: ['prometheus', 'promtool', 'psql', 'redis-cli', 'jq'] },
  backup: { test: testBackup, programs: ['pg_basebackup'] },
  image: { test: testImage, programs: container, needsRoot: true },
  compose: {
    test: testCompose,
    programs: [...container, 'podman-compose', 'iptables', 'haproxy', 'psql'],
    needsRoot: true,
    needs: 'image',
  },
};

const names = process.argv.slice(2);
const chosen = names.length === 0 ? Object.keys(steps) : names;
if (chosen.some((name) => !Object.hasOwn(steps, name))) {
  console.error(
    `Unknown step in ${names.join(' ')}. The steps are ${Object.keys(steps).join(', ')}.`,
  );
  process.exit(2);
}

const scope = new AsyncDisposableStack();
let postgres;
const context = {
  freePort,
  /**
   * Creates a database. All steps that neither stop nor configure Postgres share one Postgres
   * server.
   */
  async createDatabase() {
    postgres ??= openPostgres().then((opened) => scope.use(opened));
    return (await postgres).createDatabase();
  },
};
const results = { passed: [], failed: [], skipped: [] };
installMissing(chosen.flatMap((name) => steps[name].programs));
if (chosen.some((name) => steps[name].needsRoot)) context.containers = openContainers(scope);
const parallel = chosen.filter((name) => steps[name].isParallel).map(runStep);
for (const name of chosen) if (!steps[name].isParallel) await runStep(name);
await Promise.all(parallel);
await scope.disposeAsync();

/** Returns the reason why a step cannot run on this machine; `undefined` if it can. */
function reasonToSkip({ programs, needsRoot, needs }) {
  if (needsRoot && process.getuid() !== 0) return 'this step needs root';
  if (needs !== undefined && !results.passed.includes(needs))
    return `this step needs the step "${needs}", which has not passed`;
  return missingOf(programs);
}

async function runStep(name) {
  const reason = reasonToSkip(steps[name]);
  if (reason !== undefined) {
    console.log(`SKIPPED ${name}: ${reason}`);
    results.skipped.push(name);
    return;
  }
  const startedAt = performance.now();
  const say = (text) => console.log(`  ${name}: ${text}`);
  await using own = new AsyncDisposableStack();
  try {
    await steps[name].test({ ...context, say, scope: own });
    console.log(`passed ${name}, ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    results.passed.push(name);
  } catch (error) {
    console.error(`FAILED ${name}:`, error);
    results.failed.push(name);
  }
}

const { passed, failed, skipped } = results;
const untested = skipped.length === 0 ? '' : `: NOT TESTED HERE: ${skipped.join(', ')}`;
console.log(
  `${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped${untested}`,
);
process.exitCode = passed.length === chosen.length ? 0 : 1;
