import { deepEqual, equal, match } from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { openPostgres, openRedis, until } from '../../packages/testkit/src/index.ts';
import { image } from './containers.mjs';
import { render } from './kubernetes.mjs';
import { containerMs } from './steps.mjs';

const network = 'animal-store-pod';
const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'];

/** Runs the Deployment of the minimal overlay as a pod, with podman: its ports and probes too. */
export async function testPod({ containers, scope, freePort }) {
  const { podman, directory } = containers;
  const postgres = scope.use(await openPostgres());
  const { url } = await postgres.createDatabase();
  const redis = scope.use(await openRedis());
  const gateway = await openNetwork(podman);
  const reach = (target) => forward(scope, target, gateway);

  const objects = await render('minimal');
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const configuration = objects.find(({ kind }) => kind === 'ConfigMap');
  const { spec } = deployment.spec.template;
  const [container] = spec.containers;
  container.image = image;
  container.imagePullPolicy = 'Never';
  for (const port of container.ports) {
    Object.assign(port, { hostIP: '127.0.0.1', hostPort: await freePort() });
  }
  const portOf = (name) => container.ports.find((port) => port.name === name);
  // podman knows no names of ports there.
  const named = probes.map((probe) => ({ ...container[probe].httpGet, probe }));
  for (const { probe, port } of named) container[probe].httpGet.port = portOf(port).containerPort;
  delete spec.topologySpreadConstraints;
  deployment.spec.replicas = 1;
  configuration.data.SHUTDOWN_GRACE_MS = '0';
  // What podman takes for a Secret: its data alone.
  const base64 = (text) => Buffer.from(text).toString('base64');
  const secret = {
    DATABASE_URL: base64(await reach(url)),
    REDIS_URL: base64(await reach(redis.url)),
  };
  const secretFile = join(directory, 'secret.json');
  writeFileSync(secretFile, JSON.stringify(secret));
  await podman(['secret', 'create', 'animal-store', secretFile]);
  const file = join(directory, 'pod.yaml');
  writeFileSync(file, [configuration, deployment].map((it) => JSON.stringify(it)).join('\n---\n'));
  await podman(['play', 'kube', '--network', network, file]);

  // As the kubelet asks: at an address, not by a name. podman would ask with a curl in the container, which
  // has none.
  const statusOf = async (port, path) =>
    (await fetch(`http://127.0.0.1:${portOf(port).hostPort}${path}`)).status;
  await until(async () => (await statusOf('ops', '/readyz')) === 200, containerMs).catch(
    async (cause) => {
      const { stdout } = await podman(['ps', '--all', '--format', '{{.Names}} {{.Status}}']);
      throw new Error(stdout, { cause });
    },
  );
  for (const { probe, port, path } of named) equal(await statusOf(port, path), 200, probe);
  equal(await statusOf('http', '/v1/pets'), 401);

  const filter = `name=-${container.name}$`;
  const { stdout: names } = await podman(['ps', '--format', '{{.Names}}', '--filter', filter]);
  const [name] = names.trim().split('\n');
  const inspect = async () => JSON.parse((await podman(['inspect', name])).stdout)[0];
  const { Config, HostConfig, EffectiveCaps } = await inspect();
  match(Config.User, /^1000/);
  equal(HostConfig.ReadonlyRootfs, true);
  deepEqual(EffectiveCaps ?? [], []);
  equal(HostConfig.Memory, 512 * 1024 * 1024);
  await podman(['stop', '--time', '20', name]);
  equal((await inspect()).State.ExitCode, 0);
}

/** Makes a network for the pod, and gives this machine's address in it. */
async function openNetwork(podman) {
  await podman(['network', 'create', network]);
  // The address is there while a container is.
  const wait = ['node', '--eval', 'setInterval(() => {}, 60_000)'];
  await podman(['run', '--detach', '--network', network, image, ...wait]);
  const { stdout } = await podman(['network', 'inspect', network]);
  return JSON.parse(stdout)[0].subnets[0].gateway;
}

/** Lets the pod reach a server on this machine's loopback, and gives the URL for it. */
async function forward(scope, target, address) {
  const { hostname, port } = new URL(target);
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    socket.pipe(onward).pipe(socket);
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
  }).listen(0, address);
  await once(server, 'listening');
  scope.defer(() => server.close());
  return Object.assign(new URL(target), { hostname: address, port: server.address().port }).href;
}
