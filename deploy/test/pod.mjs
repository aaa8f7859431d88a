import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres, openRedis } from '../../packages/testkit/src/index.ts';
import { image } from './containers.mjs';
import { render } from './kubernetes.mjs';
import { expect, until } from './steps.mjs';

/** Runs the Deployment of the minimal overlay as a pod, with podman. */
export async function testPod({ containers, scope, freePort, say }) {
  const { podman, directory } = containers;
  const postgres = scope.use(await openPostgres());
  const { url } = await postgres.createDatabase();
  const redis = scope.use(await openRedis());
  const port = await freePort();
  const opsPort = await freePort();

  const objects = await render('minimal');
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const configuration = objects.find(({ kind }) => kind === 'ConfigMap');
  const { spec } = deployment.spec.template;
  const [container] = spec.containers;
  container.image = image;
  container.imagePullPolicy = 'Never';
  // On the host's network, next to other services.
  spec.hostNetwork = true;
  delete container.ports;
  // podman asks them with the image's own curl, and it has none.
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) delete container[probe];
  delete spec.topologySpreadConstraints;
  deployment.spec.replicas = 1;
  Object.assign(configuration.data, {
    ...{ HOST: '127.0.0.1', OPS_HOST: '127.0.0.1', PORT: String(port), OPS_PORT: String(opsPort) },
    SHUTDOWN_GRACE_MS: '0',
  });
  // What podman takes for a Secret: its data alone.
  const base64 = (text) => Buffer.from(text).toString('base64');
  const secret = { DATABASE_URL: base64(url), REDIS_URL: base64(redis.url) };
  const secretFile = join(directory, 'secret.json');
  writeFileSync(secretFile, JSON.stringify(secret));
  await podman(['secret', 'create', 'animal-store', secretFile]);
  const file = join(directory, 'pod.yaml');
  writeFileSync(file, [configuration, deployment].map((it) => JSON.stringify(it)).join('\n---\n'));
  await podman(['play', 'kube', '--network', 'host', file]);

  const ready = () => fetch(`http://127.0.0.1:${opsPort}/readyz`).then(({ ok }) => ok);
  await until(ready, 'A ready pod').catch(async (error) => {
    const { stdout } = await podman(['ps', '--all', '--format', '{{.Names}} {{.Status}}']);
    throw new Error(`${error.message}\n${stdout}`);
  });
  const { stdout: names } = await podman([
    'ps',
    '--format',
    '{{.Names}}',
    '--filter',
    `ancestor=${image}`,
  ]);
  const [name] = names.trim().split('\n');
  const { stdout } = await podman(['inspect', name]);
  const [{ Config, HostConfig, EffectiveCaps }] = JSON.parse(stdout);
  expect(Config.User.startsWith('1000'), `The pod runs as ${Config.User}.`);
  expect(HostConfig.ReadonlyRootfs === true, 'Its root file system is not read-only.');
  expect((EffectiveCaps ?? []).length === 0, `It has capabilities: ${EffectiveCaps}`);
  expect(HostConfig.Memory === 512 * 1024 * 1024, `It may take ${HostConfig.Memory} bytes.`);
  const { status } = await fetch(`http://127.0.0.1:${port}/v1/pets`);
  expect(status === 401, `Without a key it answers ${status}.`);
  await podman(['stop', '--time', '20', name]);
  const { stdout: code } = await podman(['inspect', '--format', '{{.State.ExitCode}}', name]);
  expect(code.trim() === '0', `It ended with ${code}.`);
  say('ready, without capabilities, read-only, as user 1000, and stopped with exit code 0');
}
