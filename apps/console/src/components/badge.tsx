/** The meaning of a state: good, needs attention, bad, or neutral. */
export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

/** Shapes distinguish the tones for people who cannot distinguish the colours. */
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
