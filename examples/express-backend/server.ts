// This program is the backend of a web page. The page gets animals from the backend, so the API key
// never leaves the backend.

import {
  type AnimalStoreClient,
  createClient,
  isAnimalStoreError,
  stringifyJson,
} from '@animal-store/client';
import express, { type ErrorRequestHandler, type Express } from 'express';

export function createBackend(store: AnimalStoreClient = createClient()): Express {
  const app = express();

  // This route returns only what the page needs. Do not forward the whole API, because anyone could
  // then use your key.
  app.get('/animals', async (request, response) => {
    const { cursor } = request.query;
    const page = await store.listPets(
      { status: 'available', limit: 10, cursor: typeof cursor === 'string' ? cursor : undefined },
      { signal: abortedWith(response) },
    );
    // `response.json` cannot serialize a bigint, and a category may be a bigint.
    response.type('json').send(stringifyJson(page));
  });

  // This handler receives every error. Express's own handler would send the stack trace to the
  // page.
  const answerError: ErrorRequestHandler = (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const { status, message, retryAfterMs } = describe(error);
    if (status >= 500) console.error(error);
    if (retryAfterMs !== undefined)
      response.set('Retry-After', `${Math.ceil(retryAfterMs / 1000)}`);
    response.status(status).json({ message });
  };
  return app.use(answerError);
}

/**
 * Converts an error to a response for the page. The response says whether the request of the page
 * was wrong, and whether to retry.
 */
function describe(error: unknown): { status: number; message: string; retryAfterMs?: number } {
  const ours = { status: 500, message: 'Something went wrong on our side.' };
  const later = { status: 503, message: 'Please try again later.', retryAfterMs: 1_000 };
  if (!isAnimalStoreError(error)) return ours;
  switch (error.name) {
    case 'BadRequestError':
      return { status: 400, message: error.detail };
    case 'NotFoundError':
      return { status: 404, message: error.detail };
    case 'RateLimitError':
    case 'ServerError':
      return { ...later, retryAfterMs: error.retryAfterMs ?? 1_000 };
    case 'AbortError':
    case 'ConnectionError':
    case 'TimeoutError':
      return later;
    default:
      // Any other error is caused by our API key or our code, so the page cannot fix it.
      return ours;
  }
}

/** Returns a signal that aborts when the browser disconnects. */
function abortedWith(response: express.Response): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  return controller.signal;
}

if (import.meta.main) {
  // biome-ignore lint/style/noProcessEnv: the program starts here.
  const server = createBackend().listen(process.env['PORT'] ?? 4000, () => {
    console.log('Open', `http://localhost:${Object(server.address()).port}/animals`);
  });
}
