/** What a state means: good, needs attention, bad, or neither. */
export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

/** Shapes tell the tones apart for those who cannot tell the colours. */
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
