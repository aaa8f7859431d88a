// These functions build and run images with Debian's buildah and podman. They also work inside a
// container without systemd.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram, node, repository, run } from './steps.mjs';

export const image = 'localhost/animal-store:test';
/**
 * A base image with Node, a shell and little else. The test uses it to build the image of the
 * service, and to build replacements for public images. So the test needs no registry.
 */
export const base = 'localhost/animal-store-base:test';
const authorities = '/etc/ssl/certs/ca-certificates.crt';

/**
 * Returns the configuration of podman and buildah. In this test, both programs run as root and
 * without systemd, and containers may open many files.
 */
const configurationIn = (directory) => `[containers]
default_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "${directory}/networks"
`;

/**
 * Creates a separate store for images and networks, so that the test does not change this machine's
 * own images and networks.
 */
export function openContainers(scope) {
  const directory = mkdtempSync(join(tmpdir(), 'animal-store-deploy-'));
  writeFileSync(join(directory, 'containers.conf'), configurationIn(directory));
  const storage = `[storage]
driver = "overlay"
graphroot = "${directory}/graph"
runroot = "${directory}/run"
`;
  writeFileSync(join(directory, 'storage.conf'), storage);
  const env = {
    ...process.env,
    CONTAINERS_CONF: join(directory, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(directory, 'storage.conf'),
  };
  const podman = (args, options) => run('podman', args, { env, ...options });
  const buildah = (args, options) => run('buildah', args, { env, ...options });
  scope.defer(async () => {
    for (const what of ['rm --time 0', 'pod rm', 'volume rm'])
      await podman([...what.split(' '), '--all', '--force']).catch(() => {});
    // The layers of images are separate mounts, which `rmSync` cannot delete. So buildah removes
    // the images first.
    await buildah(['rmi', '--all', '--force']).catch(() => {});
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      // A failed clean-up is only a warning. A busy mount is not a failure of the tested code.
      console.warn(`${directory} cannot be removed: ${error.message}`);
    }
  });
  return { podman, buildah, directory, env };
}

/**
 * Builds a base image from this machine's Node, npm, shell and libraries. It replaces the public
 * base image of the Dockerfile, so that the test needs no registry.
 */
export async function makeBase({ podman, directory }) {
  const root = join(directory, 'base');
  const copy = (from, to = from) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    cpSync(from, join(root, to), { recursive: true, dereference: true });
  };
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  mkdirSync(join(root, 'tmp'));
  for (const name of ['bin', 'lib', 'lib64']) {
    mkdirSync(join(root, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(root, name));
  }
  const { stdout: nodePath } = await run(node, ['-p', 'process.execPath']);
  copy(nodePath.trim(), 'usr/local/bin/node');
  const { stdout: libraries } = await run('sh', [
    '-c',
    `ldd "$0" /bin/sh /usr/bin/env | grep -o '/lib[^ :]*' ; dpkg -L libc6 | grep -E '^/lib.*[.]so[.0-9]*$'`,
    nodePath.trim(),
  ]);
  for (const library of new Set(libraries.trim().split('\n'))) copy(library);
  for (const program of ['sh', 'env', 'uname']) copy(`/usr/bin/${program}`);
  // `npm` is a link to npm-cli.js in the folder `bin` of npm's package, so the package is two
  // folders up.
  copy(dirname(dirname(realpathSync(findProgram('npm')))), 'usr/local/lib/node_modules/npm');
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
  }
  const archive = join(directory, 'base.tar');
  await run('tar', ['-C', root, '-cf', archive, '.']);
  await podman(['import', '--change', 'ENV PATH=/usr/local/bin:/usr/bin:/bin', archive, base]);
  rmSync(root, { recursive: true });
  rmSync(archive);
}

/** Builds the image of the service. */
export async function buildImage({ buildah }) {
  const trust = [
    ...['--volume', `${authorities}:${authorities}:ro`],
    ...['--build-arg', `SSL_CERT_FILE=${authorities}`],
    ...['--build-arg', `NODE_EXTRA_CA_CERTS=${authorities}`],
  ];
  await buildah(
    [
      ...['bud', '--isolation', 'oci', '--runtime', 'runc', '--network', 'host', '--layers'],
      // In buildah's default format, the image would lose the health check of the Dockerfile.
      ...['--format', 'docker'],
      ...['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=20000:20000'],
      ...(existsSync(authorities) ? trust : []),
      ...['--build-arg', `BASE=${base}`, '--tag', image, repository],
    ],
    { timeoutMs: 600_000 },
  );
}
