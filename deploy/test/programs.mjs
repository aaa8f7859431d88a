// This module knows which Debian packages contain the programs that the steps need, and installs
// them.

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { findProgram } from './steps.mjs';

/**
 * The Debian packages of programs. A program is listed here if its package has another name, or if
 * it needs several packages.
 */
const packages = {
  amtool: ['prometheus-alertmanager'],
  pg_basebackup: ['postgresql'],
  // netavark and aardvark-dns provide podman's network and name server.
  podman: ['podman', 'netavark', 'aardvark-dns'],
  promtool: ['prometheus'],
  psql: ['postgresql-client'],
  'redis-cli': ['redis-tools'],
};

const isMissing = (program) => findProgram(program) === undefined;

/**
 * kubectl is not installed from Debian, because the Kustomize in Debian's version (1.20) is too
 * old.
 */
const packagesOf = (program) => (program === 'kubectl' ? [] : (packages[program] ?? [program]));

/** Installs missing programs, as root on Debian or Ubuntu. On other systems, it does nothing. */
export function installMissing(programs) {
  const wanted = [...new Set(programs.filter(isMissing).flatMap(packagesOf))];
  if (wanted.length === 0 || process.getuid() !== 0 || isMissing('apt-get')) return;
  console.log(`Installing ${wanted.join(', ')}.`);
  // Debian starts a service as soon as its package is installed. The script `policy-rc.d` prevents
  // the start.
  const policy = '/usr/sbin/policy-rc.d';
  const hasOwnPolicy = !existsSync(policy);
  if (hasOwnPolicy) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const options = {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    execFileSync('apt-get', ['update'], options);
    execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', ...wanted], options);
  } catch (error) {
    // A failed installation is not an error of this function, because the steps report the programs
    // that are still missing.
    console.error(error.message);
  } finally {
    if (hasOwnPolicy) rmSync(policy);
  }
}

/**
 * Returns a text that says which programs are missing and how to install them; `undefined` if none
 * is missing.
 */
export function missingOf(programs) {
  const missing = programs.filter(isMissing);
  if (missing.length === 0) return undefined;
  const wanted = missing.flatMap(packagesOf).join(' ');
  const advice = missing.includes('kubectl') ? 'kubectl 1.27 from kubernetes.io; ' : '';
  return `${missing.join(', ')} not installed: ${advice}apt-get install --no-install-recommends ${wanted}`;
}
