import { docsPageHeaders, errorPageHtml } from '@animal-store/docs';
import type { ErrorRequestHandler } from 'express';
import { HttpError } from '../http/http-error.ts';
import { appendHeader, setHeader } from '../http/note-headers.ts';
import { send } from '../http/send-response.ts';

/**
 * Answers failures outside of the API: with a page, if a browser asks for one, otherwise as usual.
 *
 * @param answerFailure answers with the Error body.
 */
export function answerReaders(answerFailure: ErrorRequestHandler): ErrorRequestHandler {
  return function answerReader(failure: unknown, req, res, next) {
    appendHeader(res, 'Vary', 'Accept');
    const isReader = req.accepts(['json', 'html']) === 'html';
    if (!isReader || !(failure instanceof HttpError)) {
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
