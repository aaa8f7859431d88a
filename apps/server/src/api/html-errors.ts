import { docsPageHeaders, errorPageHtml } from '@animal-store/docs';
import { appendHeader, HttpError, send, setHeader } from '@animal-store/http-server';
import type { ErrorRequestHandler } from 'express';

/**
 * Creates the error handler for paths outside the API. The handler sends an HTML page to clients
 * that prefer HTML, and a JSON error body to all others.
 *
 * @param answerFailure a function that sends the JSON error body.
 */
export function htmlErrors(answerFailure: ErrorRequestHandler): ErrorRequestHandler {
  return function sendHtmlError(failure: unknown, req, res, next) {
    appendHeader(res, 'Vary', 'Accept');
    const prefersHtml = req.accepts(['json', 'html']) === 'html';
    if (!prefersHtml || !(failure instanceof HttpError)) {
      answerFailure(failure, req, res, next);
      return;
    }
    res.locals.errorCode = failure.code;
    for (const [name, value] of Object.entries({ ...docsPageHeaders(), ...failure.headers })) {
      setHeader(res, name, value);
    }
    setHeader(res, 'Content-Type', 'text/html; charset=utf-8');
    send(res.status(failure.status), errorPageHtml(failure));
  };
}
