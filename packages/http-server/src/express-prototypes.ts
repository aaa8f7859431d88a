import type { Express } from 'express';

/**
 * Makes Node create requests and responses with the prototypes of an Express app.
 *
 * Otherwise, Express replaces the prototypes of every request and response. V8 then takes a slow
 * path for each access to their properties. This takes 8 to 10 % of a request's CPU time
 * (docs/bends.md). If Node creates objects with the right prototypes, Express replaces nothing.
 *
 * @param types the classes that the server was created with. After the call, their prototypes
 * inherit from the app's prototypes.
 */
export function useExpressPrototypes(
  app: Pick<Express, 'request' | 'response'>,
  types: {
    readonly IncomingMessage: { prototype: object };
    readonly ServerResponse: { prototype: object };
  },
): void {
  Object.setPrototypeOf(types.IncomingMessage.prototype, app.request);
  Object.setPrototypeOf(types.ServerResponse.prototype, app.response);
  app.request = types.IncomingMessage.prototype as typeof app.request;
  app.response = types.ServerResponse.prototype as typeof app.response;
}
