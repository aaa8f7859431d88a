import { formatCount, formatRequests } from '../time/format.ts';

const [width, height] = [96, 20];

/**
 * A small plot without axes.
 *
 * @param per the time that each bar covers, in words, such as "an hour".
 */
export function Sparkline({
  counts,
  what,
  per = 'an hour',
}: {
  counts: readonly number[];
  what: string;
  per?: string;
}) {
  const max = Math.max(...counts, 1);
  const step = width / Math.max(counts.length, 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={`${formatRequests(total)} ${what}, at most ${formatCount(max === 1 && total === 0 ? 0 : max)} in ${per}`}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      <path class="base" d={`M0 ${height - 0.5}H${width}`} />
      {counts.map((count, index) => {
        const bar = count === 0 ? 0 : Math.max(1.5, (count / max) * (height - 2));
        return (
          bar > 0 && (
            <rect x={index * step} y={height - bar} width={Math.max(step - 1, 1)} height={bar} />
          )
        );
      })}
    </svg>
  );
}
