import type { ComponentChildren } from 'preact';

/** One number that is looked at often. */
export function Figure({
  label,
  value,
  note,
  tone,
  href,
  trend,
}: {
  label: string;
  value: string;
  note: ComponentChildren;
  tone?: 'warning' | 'bad' | undefined;
  /** The page that lists what the number counts. */
  href?: string;
  /** The history of the number, as a small plot. */
  trend?: ComponentChildren;
}) {
  const content = (
    <>
      <h2 class="label">{label}</h2>
      <p class="figure">
        <strong class={tone ?? ''}>{value}</strong>
      </p>
      {trend}
      <p class="muted">{note}</p>
    </>
  );
  return href === undefined ? (
    <div class="meter">{content}</div>
  ) : (
    <a class="meter" href={href}>
      {content}
    </a>
  );
}
