import type { ComponentChildren } from 'preact';

/** A large number that operators check often, such as the requests of the last minute. */
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
  /** The address of the page that lists the counted objects. */
  href?: string;
  /** A small plot of the number over time. */
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
