/** The meaning of a badge: good, needs attention, bad, or neutral. */
export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

/** The symbol for each tone, for people who cannot distinguish the colours. */
const shapes: Readonly<Record<Tone, string>> = {
  good: '●',
  warning: '▲',
  bad: '■',
  neutral: '○',
};

export function Badge({ tone, text }: { tone: Tone; text: string }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{shapes[tone]}</span> {text}
    </span>
  );
}
