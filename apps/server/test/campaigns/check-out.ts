import { execFileSync } from 'node:child_process';
import { repository } from '@animal-store/testkit';

/** Copies a revision of this repository to a folder and installs it there. */
export function checkOut(revision: string, folder: string): void {
  const archive = execFileSync('git', ['archive', revision], {
    cwd: repository,
    maxBuffer: 2 ** 28,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  execFileSync('node', ['scripts/install.mjs', 'run'], { cwd: folder, stdio: 'inherit' });
}
