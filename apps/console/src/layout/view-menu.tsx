import { density, type Preference, theme, timeStyle } from '../components/time/preferences.ts';

/** The menu of display preferences. The browser closes it on Escape and on a click outside. */
export function ViewMenu() {
  return (
    <>
      <button type="button" class="quiet" popovertarget="view-menu">
        View
      </button>
      <div id="view-menu" class="menu" popover role="group" aria-label="View">
        <Choice name="theme" preference={theme} />
        <Choice name="density" preference={density} />
        <Choice name="times" preference={timeStyle} />
      </div>
    </>
  );
}

function Choice<Value extends string>({
  name,
  preference: { label, choices, value },
}: {
  name: string;
  preference: Preference<Value>;
}) {
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {Object.entries(choices).map(([choice, text]) => (
        <label>
          <input
            type="radio"
            name={`view-${name}`}
            checked={value.value === choice}
            onChange={() => {
              value.value = choice as Value;
            }}
          />{' '}
          {text}
        </label>
      ))}
    </fieldset>
  );
}
