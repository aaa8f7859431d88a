import type { ScenarioResult } from './results.ts';
import { targets } from './targets.ts';

const width = 900;
const labelWidth = 360;
const barHeight = 20;
const rowHeight = 30;
const top = 44;

const parts = [
  { name: 'server', colour: '#2563eb' },
  { name: 'redis', colour: '#dc2626' },
  { name: 'postgres', colour: '#64748b' },
] as const;

/** Draws the CPU time per request of each target as a bar, the cheapest first. */
export function formatPlot({ results }: ScenarioResult): string {
  const rows = results
    .map(({ target, median }) => ({
      title: targets.find(({ name }) => name === target)?.title.replaceAll(/[*`]/g, '') ?? target,
      kind: targets.find(({ name }) => name === target)?.kind,
      cpuUs: median.cpuUs,
      total: parts.reduce((sum, { name }) => sum + median.cpuUs[name], 0),
    }))
    .toSorted((a, b) => a.total - b.total);
  const scale = (width - labelWidth - 70) / Math.max(...rows.map(({ total }) => total));
  const height = top + rows.length * rowHeight + 10;

  const bars = rows.flatMap(({ title, kind, cpuUs, total }, index) => {
    const y = top + index * rowHeight;
    let x = labelWidth;
    const weight = kind === 'service' ? ' font-weight="bold"' : '';
    const label = `<text x="${labelWidth - 10}" y="${y + 15}" text-anchor="end"${weight}>${escapeXml(title)}</text>`;
    const rects = parts.map(({ name, colour }) => {
      const length = cpuUs[name] * scale;
      const rect = `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" fill="${colour}"/>`;
      x += length;
      return rect;
    });
    const figure = `<text x="${(x + 6).toFixed(1)}" y="${y + 15}"${weight}>${total.toFixed(0)}</text>`;
    return [label, ...rects, figure];
  });

  const legend = parts.map(
    ({ name, colour }, index) =>
      `<rect x="${labelWidth + index * 110}" y="14" width="12" height="12" fill="${colour}"/><text x="${labelWidth + index * 110 + 18}" y="25">${name}</text>`,
  );

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    '<title>CPU time per request, in microseconds</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="10" y="25" font-weight="bold">CPU µs per request</text>`,
    ...legend,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
