import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { findProgram } from '@animal-store/testkit';

/** Runs `promtool check metrics` and gives all that it objects to; empty if it finds nothing. */
export async function checkMetrics(metrics: string): Promise<string> {
  const promtool = spawn(await findProgram('promtool'), ['check', 'metrics']);
  promtool.stdin.end(metrics);
  const [objections, complaints, [code]] = await Promise.all([
    text(promtool.stdout),
    text(promtool.stderr),
    once(promtool, 'close'),
  ]);
  const said = `${objections}${complaints}`;
  return code === 0 ? said : `${said}exit code ${code}`;
}
