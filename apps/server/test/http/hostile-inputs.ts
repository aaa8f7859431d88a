import { bodies } from './hostile-bodies.ts';
import { framings, protocols } from './hostile-framing.ts';
import { contentTypes, fields } from './hostile-headers.ts';
import type { HostileInput, Route } from './hostile-request.ts';
import { methods, paths, queries } from './hostile-targets.ts';

/** Hostile inputs for a route: its path as a target of the request line, `/v1` included. */
export function hostileInputs(route: Route): HostileInput[] {
  return [
    ...methods(route),
    ...paths(route),
    ...queries(route),
    ...fields(route),
    ...contentTypes(route),
    ...bodies(route),
    ...framings(route),
    ...protocols(route),
  ].map(([title, bytes, options]) => ({ title, bytes, ...options }));
}
