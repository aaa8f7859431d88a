/**
 * A text that somebody else has chosen. It is isolated, so that characters that turn the direction of
 * writing end with it.
 */
export function Name({
  text,
  missing = 'unnamed',
}: {
  text: string | null | undefined;
  missing?: string;
}) {
  if (text === null || text === undefined) return <span class="name missing">{missing}</span>;
  return (
    <bdi class="name" title={text}>
      {text}
    </bdi>
  );
}

/** The name of a key. One without is known by its id. */
export function KeyName({ id, name }: { id: string; name: string | null }) {
  return <Name text={name} missing={`unnamed (${id.slice(0, 8)})`} />;
}
