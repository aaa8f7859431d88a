import { KeyName } from './name.tsx';
import { linkWithPeriod, type PresetName } from './time/time-range.ts';

/**
 * A link to the page of a key. The text of the link is the key's name.
 *
 * @param range the period that the linked page shows at first.
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
    <a href={linkWithPeriod('key', { id, defaultRange: range })}>
      <KeyName id={id} name={name} />
    </a>
  );
}
