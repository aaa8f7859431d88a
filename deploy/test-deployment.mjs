// `npm run test:deploy`: tests what is in this folder with real programs. Not part of `npm test`, which needs
// nothing but Node and npm. A step whose programs are missing is skipped, and says so at the end.
//
//   npm run test:deploy                 all steps
//   npm run test:deploy -- rules image  these steps

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { testCompatibility } from './test/compatibility.mjs';
import { testCompose } from './test/compose.mjs';
import { openContainers } from './test/containers.mjs';
import { testDashboards } from './test/dashboards.mjs';
import { testLoadBalancer } from './test/haproxy.mjs';
import { testImage } from './test/image.mjs';
import { testKubernetes } from './test/kubernetes.mjs';
import { testPod } from './test/pod.mjs';
import { testPooler } from './test/pooler.mjs';
import { testRules } from './test/rules.mjs';
import { findProgram } from './test/steps.mjs';

const containerPrograms = ['buildah', 'podman', 'runc'];

/** In this order: later ones use the image that an earlier one built. */
const steps = [
  { name: 'rules', programs: ['promtool'], test: testRules },
  { name: 'kubernetes', programs: ['kubectl'], test: testKubernetes },
  { name: 'dashboards', programs: ['prometheus'], test: testDashboards },
  { name: 'load-balancer', programs: ['haproxy'], test: testLoadBalancer },
  {
    name: 'compatibility',
    programs: ['openssl', 'redis-server'],
    test: testCompatibility,
  },
  { name: 'pooler', programs: ['pgbouncer'], test: testPooler },
  { name: 'image', programs: containerPrograms, asRoot: true, test: testImage },
  {
    name: 'pod',
    programs: [...containerPrograms, 'catatonit', 'kubectl'],
    asRoot: true,
    needs: 'image',
    test: testPod,
  },
  {
    name: 'compose',
    programs: [...containerPrograms, 'podman-compose', 'iptables', 'haproxy'],
    asRoot: true,
    needs: 'image',
    test: testCompose,
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

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Debian's kubectl 1.20 has a Kustomize that does not know what we use. */
const oldestKubectl = 27;

function isKubectlTooOld() {
  const version = execFileSync(findProgram('kubectl'), ['version', '--client', '--output', 'json']);
  return Number.parseInt(JSON.parse(version).clientVersion.minor, 10) < oldestKubectl;
}

/** Why a step cannot run here, or `undefined`. */
function obstacle({ programs, asRoot, needs }, results) {
  const missing = programs.filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) return `${missing.join(', ')} not installed`;
  if (programs.includes('kubectl') && isKubectlTooOld()) {
    return `kubectl is older than 1.${oldestKubectl}`;
  }
  if (asRoot && process.getuid() !== 0) return 'only root can';
  if (needs !== undefined && results.get(needs) !== 'passed') return `needs the step "${needs}"`;
  return undefined;
}

const scope = new AsyncDisposableStack();
let containers;
const context = {
  get containers() {
    containers ??= openContainers(scope);
    return containers;
  },
  freePort,
};
const results = new Map();
for (const step of steps) {
  if (asked.length > 0 && !asked.includes(step.name)) continue;
  const reason = obstacle(step, results);
  if (reason !== undefined) {
    console.log(`SKIPPED ${step.name}: ${reason}`);
    results.set(step.name, 'skipped');
    continue;
  }
  const startedAt = performance.now();
  const say = (text) => console.log(`  ${step.name}: ${text}`);
  const stepScope = new AsyncDisposableStack();
  try {
    await step.test({
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
await scope.disposeAsync();

const count = (wanted) => [...results.values()].filter((result) => result === wanted).length;
const skipped = [...results].filter(([, result]) => result === 'skipped').map(([name]) => name);
if (skipped.length > 0) {
  console.log(`
NOT TESTED HERE: ${skipped.join(', ')}. Install what is missing, on Debian as root:
  apt-get install --no-install-recommends buildah podman runc catatonit netavark aardvark-dns iptables \\
    podman-compose haproxy pgbouncer prometheus redis-server openssl
and kubectl 1.${oldestKubectl} or newer, from kubernetes.io.
`);
}
console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
process.exitCode = count('failed') === 0 ? 0 : 1;
