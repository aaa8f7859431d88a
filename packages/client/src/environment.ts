import { version } from './version.ts';

// Types of what some runtimes have and others lack; this package compiles without Node's types.
interface Globals {
  process?: { env?: Record<string, string | undefined> };
  navigator?: { userAgent?: string };
}

/** Reads an environment variable, where there is an environment (Node, Deno, Bun). */
export function readVariable(name: string): string | undefined {
  return (globalThis as Globals).process?.env?.[name];
}

/**
 * The `User-Agent` to send, or `undefined` in a browser: Firefox and Safari would ask for it in the
 * preflight request. Every browser calls itself Mozilla, its workers included.
 */
export function userAgent(): string | undefined {
  const { navigator } = globalThis as Globals;
  return navigator?.userAgent?.startsWith('Mozilla/')
    ? undefined
    : `animal-store-client/${version}`;
}
