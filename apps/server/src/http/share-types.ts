import type { Express } from 'express';

/**
 * Makes Node create requests and responses with the prototypes of an app.
 *
 * Express replaces the prototypes of every request and response with its own. V8 then takes a slow
 * path for each of their members, which costs 8 to 10 % of a request (docs/bends.md). If the server
 * already has the types of the app, Express replaces nothing.
 *
 * @param types the types that the server was created with. Afterwards their prototypes inherit from
 * the app's prototypes.
 */
export function shareTypes(
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
