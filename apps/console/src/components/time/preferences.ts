import { effect, type Signal, signal } from '@preact/signals';

/** How somebody likes to see the console. It is kept in the browser, and says nothing about anybody. */
export interface Preference<Value extends string> {
  /** Its name in the browser's storage and in the style sheet. */
  readonly name: string;
  readonly label: string;
  /** The values, and how they are called. The first one is the default. */
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

/** Reads the preferences that the browser keeps, and keeps their changes. */
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
    // The style sheet reads it.
    document.documentElement.dataset[name] = value.value;
    // Who changes nothing leaves nothing on the disk.
    if (value.value === values[0]) localStorage.removeItem(storageName);
    else localStorage.setItem(storageName, value.value);
  });
}
