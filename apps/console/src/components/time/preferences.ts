import { effect, type Signal, signal } from '@preact/signals';

/** How somebody likes to see the console. It is kept in the browser, and says nothing about anybody. */
export interface Preference<Value extends string> {
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
  const storageName = `animal-store-${name}`;
  const values = Object.keys(choices) as Value[];
  const kept = localStorage.getItem(storageName);
  const [usual] = values;
  if (usual === undefined) throw new Error(`The preference ${name} has no values.`);
  const value = signal(values.find((known) => known === kept) ?? usual);
  effect(() => {
    // The style sheet reads it.
    document.documentElement.dataset[name] = value.value;
    // Who changes nothing leaves nothing on the disk.
    if (value.value === usual) localStorage.removeItem(storageName);
    else localStorage.setItem(storageName, value.value);
  });
  return { label, choices, value };
}

export const theme = createPreference('theme', 'Theme', {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
});

export const density = createPreference('density', 'Rows', {
  comfortable: 'Comfortable',
  compact: 'Compact',
});

export const timeStyle = createPreference('times', 'Times in tables', {
  relative: 'Relative',
  absolute: 'Absolute',
});
