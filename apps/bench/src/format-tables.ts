import type { Results, ScenarioResult } from './results.ts';
import { type Target, targets, unitBaseline } from './targets.ts';
import { workloads } from './workloads.ts';

/** Formats the medians of the service, its peer and the baseline as one Markdown table. */
export function formatSummary(results: Results): string {
  const rows = results.scenarios.map(({ workload, results }) => {
    const medianOf = (kind: Target['kind']) =>
      results.find(({ target }) => kindOf(target) === kind)?.median;
    const [own, peer] = [medianOf('service'), medianOf('peer')];
    const baseline = results.find(({ target }) => target === unitBaseline.name)?.median;
    const cells = [
      `(${workload}) ${titleOf(workload)}`,
      ...[own, peer, baseline].map((median) => median?.cpuUs.server.toFixed(0) ?? '–'),
      ...[own, peer].map((median) => rounded(median?.requestsPerSecond)),
      ...[own, peer].map((median) => median?.p99Ms.toFixed(1) ?? '–'),
      own?.residentMb.toFixed(0) ?? '–',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    headingOf(results),
    '| requests | CPU µs | CPU µs of the peer | CPU µs of the baseline | requests/s | requests/s of the peer | p99 ms | p99 ms of the peer | RSS MB |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...rows,
    '',
  ].join('\n');
}

/** Formats the medians of all servers as Markdown, with one table for each scenario. */
export function formatTables(results: Results): string {
  return [headingOf(results), ...results.scenarios.map(formatScenario)].join('\n');
}

function headingOf(results: Results): string {
  const { commit, date, node, machine, pets, keys, rounds, seconds } = results;
  return `Commit ${commit}, ${date.slice(0, 10)}, Node ${node}. ${machine}. ${count(pets)} animals, ${count(keys)} keys; medians of ${rounds} rounds of ${seconds} s.\n`;
}

function titleOf(workload: string): string | undefined {
  return workloads.find(({ letter }) => letter === workload)?.title;
}

function kindOf(name: string): Target['kind'] | undefined {
  return targets.find((target) => target.name === name)?.kind;
}

function formatScenario({ workload, connections, results }: ScenarioResult): string {
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
    `## (${workload}) ${titleOf(workload)}; ${connections} connection${connections === 1 ? '' : 's'}`,
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

/** Rounds to hundreds, because the last digits differ from run to run. */
function rounded(value: number | undefined): string {
  return value === undefined ? '–' : count(Math.round(value / 100) * 100);
}
