// A backend for a web page. The page asks it for animals; only the backend has the API key.

import {
  type AnimalStoreClient,
  createClient,
  isApiError,
  stringifyJson,
} from '@animal-store/client';
import express, { type ErrorRequestHandler, type Express } from 'express';

export function createBackend(store: AnimalStoreClient = createClient()): Express {
  const app = express();

  // Give the page what it needs, and nothing else: this is not a proxy of the whole API.
  app.get('/animals', async (request, response) => {
    const { cursor } = request.query;
    const page = await store.listPets(
      { status: 'available', limit: 10, cursor: typeof cursor === 'string' ? cursor : undefined },
      { signal: abortedWith(response) },
    );
    // Not `response.json`: a category may be a bigint.
    response.type('json').send(stringifyJson(page));
  });

  const onError: ErrorRequestHandler = (error, _request, response, next) => {
    if (!isApiError(error)) return next(error);
    if (isApiError(error, 400)) return response.status(400).json({ message: error.detail });
    if (isApiError(error, 429))
      response.set('Retry-After', String((error.retryAfterMs ?? 0) / 1000));
    response.status(503).json({ message: 'Please try again later.' });
  };
  return app.use(onError);
}

/** A signal that aborts when the page has gone away. */
function abortedWith(response: express.Response): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  return controller.signal;
}
