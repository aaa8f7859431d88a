/**
 * Shows a name that somebody else has chosen, isolated from the text around it. Otherwise, control
 * characters for right-to-left text in the name would reorder the text that follows.
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
