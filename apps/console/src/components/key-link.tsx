import { KeyName } from './name.tsx';
import { linkInTime, type PresetName } from './time/time-range.ts';

/**
 * A key, by its name, as a link to its page.
 *
 * @param range the span of time that it shows, unless somebody has chosen one.
 */
export function KeyLink({
  id,
  name,
  range,
}: {
  id: string;
  name: string | null;
  range?: PresetName;
}) {
  return (
    <a href={linkInTime('key', { id, usual: range })}>
      <KeyName id={id} name={name} />
    </a>
  );
}
