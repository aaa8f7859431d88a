import type { HttpHeaders } from './http-headers.ts';

// These aliases are the platform's own types, if the user compiles with them. Otherwise each alias
// contains only the members that this client needs.

/** The type of `AbortSignal`, or a replacement where that type is missing. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } }
  ? T
  : { readonly aborted: boolean; readonly reason: unknown };

/** The type of `Headers`, or a replacement where that type is missing. */
export type HeaderList = typeof globalThis extends { Headers: { prototype: infer T } }
  ? T
  : HttpHeaders;

/** The type of `URL`, or a replacement where that type is missing. */
export type Address = typeof globalThis extends { URL: { prototype: infer T } }
  ? T
  : { readonly href: string };
