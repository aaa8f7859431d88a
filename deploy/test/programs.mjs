// The programs that the steps run, and where they come from.

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { findProgram } from './steps.mjs';

/** Debian's packages, by the program. */
const packages = {
  amtool: ['prometheus-alertmanager'],
  buildah: ['buildah'],
  catatonit: ['catatonit'],
  haproxy: ['haproxy'],
  iptables: ['iptables'],
  openssl: ['openssl'],
  pg_basebackup: ['postgresql'],
  pg_dump: ['postgresql'],
  pgbouncer: ['pgbouncer'],
  // The last two are its network and its name server.
  podman: ['podman', 'netavark', 'aardvark-dns'],
  'podman-compose': ['podman-compose'],
  prometheus: ['prometheus'],
  promtool: ['prometheus'],
  'redis-server': ['redis-server'],
  runc: ['runc'],
};

/** Debian's kubectl 1.20 has a Kustomize that does not know what we use. */
const oldestKubectl = 27;

const isMissing = (program) => findProgram(program) === undefined;

/** Debian's packages of those programs that this machine lacks. */
const packagesOfMissing = (programs) => [
  ...new Set(programs.filter(isMissing).flatMap((program) => packages[program] ?? [])),
];

/** Installs what this machine lacks, as root on Debian or Ubuntu. Elsewhere it does nothing. */
export function installMissing(programs) {
  const wanted = packagesOfMissing(programs);
  if (wanted.length === 0 || process.getuid() !== 0 || isMissing('apt-get')) return;
  console.log(`Installing ${wanted.join(', ')}.`);
  // Debian starts every service that it installs, unless this script forbids it.
  const policy = '/usr/sbin/policy-rc.d';
  const forbids = !existsSync(policy);
  if (forbids) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const options = { stdio: ['ignore', 'ignore', 'inherit'] };
    execFileSync('apt-get', ['update'], options);
    execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', ...wanted], {
      ...options,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (error) {
    // The steps say what is missing.
    console.error(error.message);
  } finally {
    if (forbids) rmSync(policy);
  }
}

/** What of these programs this machine lacks, and how to get it; `undefined` if nothing. */
export function missingOf(programs) {
  const missing = programs.filter(isMissing);
  if (missing.length === 0) {
    return programs.includes('kubectl') && isKubectlTooOld()
      ? `kubectl is older than 1.${oldestKubectl}`
      : undefined;
  }
  const wanted = packagesOfMissing(programs);
  const advice = [
    ...(wanted.length > 0 ? [`apt-get install --no-install-recommends ${wanted.join(' ')}`] : []),
    ...(missing.includes('kubectl') ? [`kubectl 1.${oldestKubectl}, from kubernetes.io`] : []),
  ];
  return `${missing.join(', ')} not installed: ${advice.join('; ')}`;
}

function isKubectlTooOld() {
  const version = execFileSync(findProgram('kubectl'), ['version', '--client', '--output', 'json']);
  return Number.parseInt(JSON.parse(version).clientVersion.minor, 10) < oldestKubectl;
}
