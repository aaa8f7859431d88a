/**
 * `node:http`, without an `import` of it. An import evaluates every export, also the getter of
 * `WebSocket`, and that loads undici: 80 ms of processor time at the start, and 7 MB.
 */
export const { createServer, IncomingMessage, ServerResponse } =
  process.getBuiltinModule('node:http');
