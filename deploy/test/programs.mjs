// The programs that the steps run, and where they come from.

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { findProgram } from './steps.mjs';

/** Debian's packages, of programs that are called otherwise or need more. */
const packages = {
  amtool: ['prometheus-alertmanager'],
  pg_basebackup: ['postgresql'],
  // The last two are its network and its name server.
  podman: ['podman', 'netavark', 'aardvark-dns'],
  promtool: ['prometheus'],
  psql: ['postgresql-client'],
  'redis-cli': ['redis-tools'],
};

const isMissing = (program) => findProgram(program) === undefined;

/** Debian has kubectl 1.20, whose Kustomize does not know what we use. */
const packagesOf = (program) => (program === 'kubectl' ? [] : (packages[program] ?? [program]));

/** Installs what this machine lacks, as root on Debian or Ubuntu. Elsewhere it does nothing. */
export function installMissing(programs) {
  const wanted = [...new Set(programs.filter(isMissing).flatMap(packagesOf))];
  if (wanted.length === 0 || process.getuid() !== 0 || isMissing('apt-get')) return;
  console.log(`Installing ${wanted.join(', ')}.`);
  // Debian starts every service that it installs, unless this script forbids it.
  const policy = '/usr/sbin/policy-rc.d';
  const forbids = !existsSync(policy);
  if (forbids) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const options = {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    execFileSync('apt-get', ['update'], options);
    execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', ...wanted], options);
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
  if (missing.length === 0) return undefined;
  const wanted = missing.flatMap(packagesOf).join(' ');
  const advice = missing.includes('kubectl') ? 'kubectl 1.27 from kubernetes.io; ' : '';
  return `${missing.join(', ')} not installed: ${advice}apt-get install --no-install-recommends ${wanted}`;
}
