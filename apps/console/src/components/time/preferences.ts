import { effect, type Signal, signal } from '@preact/signals';

/** A display preference of the operator, which the browser stores. It contains no personal data. */
export interface Preference<Value extends string> {
  /** The name of the preference, in the browser's storage and in the style sheet. */
  readonly name: string;
  readonly label: string;
  /** The labels of the possible values. The first value is the default. */
  readonly choices: Readonly<Record<Value, string>>;
  readonly value: Signal<Value>;
}

function createPreference<Value extends string>(
  name: string,
  label: string,
  choices: Readonly<Record<Value, string>>,
): Preference<Value> {
  const [defaultChoice] = Object.keys(choices) as [Value];
  return { name, label, choices, value: signal(defaultChoice) };
}

export const theme = createPreference('theme', 'Theme', {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
});

export const density = createPreference('density', 'Density', {
  comfortable: 'Comfortable',
  compact: 'Compact',
});

export const timeStyle = createPreference('times', 'Times', {
  relative: 'Relative',
  absolute: 'Absolute',
});

/** Loads the preferences that the browser has stored, and stores every later change. */
export function keepPreferences(): void {
  keepPreference(theme);
  keepPreference(density);
  keepPreference(timeStyle);
}

function keepPreference<Value extends string>({ name, choices, value }: Preference<Value>): void {
  const storageName = `animal-store-${name}`;
  const values = Object.keys(choices) as Value[];
  const kept = localStorage.getItem(storageName);
  value.value = values.find((known) => known === kept) ?? value.value;
  effect(() => {
    // The style sheet reads the preference from this attribute of the page.
    document.documentElement.dataset[name] = value.value;
    // The browser stores only values that differ from the default, so a stored value is deleted
    // when the operator returns to the default.
    if (value.value === values[0]) localStorage.removeItem(storageName);
    else localStorage.setItem(storageName, value.value);
  });
}
