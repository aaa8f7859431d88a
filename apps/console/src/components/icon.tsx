/** The SVG path of each icon. Its lines are drawn on a grid of 16 by 16 units. */
const paths = {
  brand:
    'M5 4.5a1.3 1.8 0 1 1-.01 0M11 4.5a1.3 1.8 0 1 1-.01 0M2.6 8a1.2 1.6 0 1 1-.01 0M13.4 8a1.2 1.6 0 1 1-.01 0M8 8.5c2 0 4 3 3.2 4.6-.6 1.2-2 .4-3.2.4s-2.6.8-3.2-.4C4 11.5 6 8.5 8 8.5z',
  overview: 'M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5v-6M13.5 13.5v-11',
  keys: 'M9.5 6.5a3.2 3.2 0 1 1-.01-.1M9.3 8.2l4.2 4.3v1.5h-2v-1.5h-1.5V11',
  accounts: 'M8 8a2.8 2.8 0 1 0-.01 0M2.5 14c.5-3 2.5-4.2 5.5-4.2s5 1.2 5.5 4.2',
  audit: 'M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2.5',
  deprecation: 'M8 2.5 14 13.5H2zM8 6.5v3.5M8 11.7v.3',
  operators: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM6 8l1.5 1.5L10.3 6.5',
} as const;

export type IconName = keyof typeof paths;

/** A small icon next to a label, which makes the label easier to find. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="pictogram" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
