import { effect, type Signal, signal } from '@preact/signals';

/**
 * A display preference of the operator. It is stored in the browser, and contains nothing personal.
 */
export interface Preference<Value extends string> {
  /** The name of the preference in the browser's storage and in the style sheet. */
  readonly name: string;
  readonly label: string;
  /** The values and their labels. The first one is the default. */
  readonly choices: Readonly<Record<Value, string>>;
  readonly value: Signal<Value>;
}

function createPreference<Value extends string>(
  name: string,
  label: string,
  choices: Readonly<Record<Value, string>>,
): Preference<Value> {
  const [usual] = Object.keys(choices) as [Value];
  return { name, label, choices, value: signal(usual) };
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

/** Reads the preferences that the browser has stored, and stores their changes. */
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
    // The style sheet reads this attribute.
    document.documentElement.dataset[name] = value.value;
    // A default value is not stored on the disk.
    if (value.value === values[0]) localStorage.removeItem(storageName);
    else localStorage.setItem(storageName, value.value);
  });
}
