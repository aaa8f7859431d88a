/**
 * Shows a text that somebody else has chosen. It is isolated, so that direction characters have no
 * effect after it.
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

/** Shows the name of a key, or its id if it has no name. */
export function KeyName({ id, name }: { id: string; name: string | null }) {
  return <Name text={name} missing={`unnamed (${id.slice(0, 8)})`} />;
}
