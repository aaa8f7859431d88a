import type { Results, ScenarioResult } from './results.ts';
import { targets, unitBaseline } from './targets.ts';
import { workloads } from './workloads.ts';

/** Formats the medians as Markdown, with one table for each scenario. */
export function formatTables(results: Results): string {
  const { commit, date, node, machine, pets, keys, rounds, seconds } = results;
  const heading = `Commit ${commit}, ${date.slice(0, 10)}, Node ${node}. ${machine}. ${count(pets)} animals, ${count(keys)} keys; medians of ${rounds} rounds of ${seconds} s.\n`;
  return [heading, ...results.scenarios.map(formatScenario)].join('\n');
}

function formatScenario({ workload, connections, results }: ScenarioResult): string {
  const title = workloads.find(({ letter }) => letter === workload)?.title;
  const kindOf = (name: string) => targets.find((target) => target.name === name)?.kind;
  const baseline = results.find(({ target }) => target === unitBaseline.name)?.median;
  const bestPeer = Math.max(
    ...results
      .filter(({ target }) => kindOf(target) === 'peer')
      .map(({ median }) => median.requestsPerSecond),
  );

  const rows = results
    .toSorted((a, b) => a.median.cpuUs.server - b.median.cpuUs.server)
    .map(({ target, median }) => {
      const { requestsPerSecond, p50Ms, p99Ms, cpuUs, residentMb } = median;
      const cells = [
        targets.find(({ name }) => name === target)?.title ?? target,
        cpuUs.server.toFixed(1),
        ratio(cpuUs.server, baseline?.cpuUs.server),
        cpuUs.redis.toFixed(1),
        cpuUs.postgres.toFixed(1),
        count(Math.round(requestsPerSecond)),
        ratio(requestsPerSecond, bestPeer),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
        residentMb.toFixed(0),
      ];
      return `| ${cells.join(' | ')} |`;
    });

  return [
    `### (${workload}) ${title}; ${connections} connection${connections === 1 ? '' : 's'}`,
    '',
    '| | CPU µs per request | × Express baseline | Redis µs | Postgres µs | requests/s | × best peer | p50 ms | p99 ms | RSS MB |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...rows,
    '',
  ].join('\n');
}

function ratio(value: number, unit: number | undefined): string {
  return unit === undefined || !Number.isFinite(unit) ? '' : (value / unit).toFixed(2);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
