import type { HttpHeaders } from './http-headers.ts';

// Classes of the platform in declarations. For those who compile with no library but the
// language's, they contain only what this client needs.

/** `AbortSignal`. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } }
  ? T
  : { readonly aborted: boolean; readonly reason: unknown };

/** `Headers`. */
export type HeaderList = typeof globalThis extends { Headers: { prototype: infer T } }
  ? T
  : HttpHeaders;

/** `URL`. */
export type Address = typeof globalThis extends { URL: { prototype: infer T } }
  ? T
  : { readonly href: string };
