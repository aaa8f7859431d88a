import { StartupError } from './startup-error.ts';

/** Environment variables, indexed by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The smallest and the largest number that the variable may have. */
export type Range = readonly [min: number, max: number];

/**
 * Reads environment variables. It collects the names of all variables that were read, and the
 * errors.
 */
export class EnvironmentReader {
  readonly #environment: Environment;
  readonly names: string[] = [];
  readonly faults: string[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Reads a string. Returns `undefined` if the variable is missing or invalid. */
  text(name: string, isValid: (text: string) => boolean, expected: string): string | undefined {
    this.names.push(name);
    // An empty variable counts as missing, because Compose files and shells unset a variable by
    // making it empty.
    const value = this.#environment[name] || undefined;
    if (value === undefined || isValid(value)) return value;
    // The message describes the expected value and does not show the actual one, which may be a
    // password.
    this.faults.push(`${name}: expected ${expected}`);
    return undefined;
  }

  /**
   * Reads an HTTP origin. A final slash, capital letters and the default port are removed, because
   * their meaning is clear, and links and comparisons need the normal form.
   */
  origin(name: string, expected: string): string | undefined {
    const text = this.text(name, (value) => httpOriginOf(value) !== undefined, expected);
    return text === undefined ? undefined : httpOriginOf(text);
  }

  /**
   * Reads a string, and converts it by `parse`. `parse` returns a text about what is wrong if the
   * string is invalid. Returns `undefined` if the variable is missing or invalid.
   */
  parsed<T extends object>(name: string, parse: (text: string) => T | string): T | undefined {
    const text = this.text(name, () => true, '');
    const read = text === undefined ? undefined : parse(text);
    if (typeof read !== 'string') return read;
    this.faults.push(`${name}: ${read}`);
    return undefined;
  }

  /**
   * Reports an error if the variable is set. Use it for a variable that a library would read by
   * itself.
   */
  refuse(name: string, hint: string): void {
    if (this.#environment[name]) this.faults.push(`${name}: ${hint}`);
  }

  /**
   * Reads a whole number. Returns `undefined` if the variable is missing or invalid. The error
   * contains an example, such as `PORT=3000`.
   */
  optionalNumber(name: string, [min, max]: Range, example: number): number | undefined {
    const isValid = (text: string) =>
      /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max;
    const expected = `a whole number from ${min} to ${max}, such as ${name}=${example}`;
    const text = this.text(name, isValid, expected);
    return text === undefined ? undefined : Number(text);
  }

  number(name: string, range: Range, defaultValue: number): number {
    return this.optionalNumber(name, range, defaultValue) ?? defaultValue;
  }

  choice<T extends string>(name: string, texts: readonly T[]): T | undefined {
    const isValid = (value: string) => texts.some((text) => text === value);
    return this.text(name, isValid, `one of ${texts.join(', ')}`) as T | undefined;
  }
}

/** Returns the names of all variables that the settings are read from. */
export function namesOf(settingsOf: (reader: EnvironmentReader) => unknown): readonly string[] {
  const reader = new EnvironmentReader({});
  settingsOf(reader);
  return reader.names;
}

/**
 * Reads all settings from an environment.
 *
 * @param otherFaults further errors of the environment, one per line.
 * @throws {StartupError} whose message names every invalid variable, one per line.
 */
export function readSettings<Settings>(
  settingsOf: (reader: EnvironmentReader) => Settings,
  environment: Environment,
  otherFaults: readonly string[] = [],
): Settings {
  const reader = new EnvironmentReader(environment);
  const settings = settingsOf(reader);
  const faults = [...reader.faults, ...otherFaults];
  if (faults.length > 0) throw new StartupError(faults.join('\n'));
  return settings;
}

/**
 * Creates a check for URLs with one of the given protocols, such as `https:`. The check refuses
 * white space, because the class `URL` would remove it at both ends without an error.
 */
export const isUrl =
  (...protocols: readonly string[]) =>
  (text: string): boolean =>
    !/\s/.test(text) && URL.canParse(text) && protocols.includes(new URL(text).protocol);

/**
 * Returns an HTTP origin in its normal form: in lower case, without a final slash and without the
 * default port. Returns `undefined` if the string is no origin, or has a path.
 *
 * The host may contain only letters, digits and the punctuation of host names and IP addresses.
 * Origins appear in shell commands, so other characters could be dangerous.
 */
function httpOriginOf(text: string): string | undefined {
  const written = text.toLowerCase().replace(/\/$/, '');
  if (!/^https?:\/\/[\w.:[\]-]+$/.test(written) || !URL.canParse(written)) return undefined;
  const { origin, protocol } = new URL(written);
  const defaultPort = protocol === 'https:' ? ':443' : ':80';
  return [origin, origin + defaultPort].includes(written) ? origin : undefined;
}

/** The range of port numbers. 0 means any free port. */
export const ports: Range = [0, 65_535];
