import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import { HttpError } from '../http/http-error.ts';
import { appendHeader, setHeader } from '../http/note-headers.ts';
import { send } from '../http/send-response.ts';
import { docsPageHeaders, style } from './docs-page-headers.ts';
import { docsPaths } from './docs-pages.ts';
import { escapeHtml } from './escape-html.ts';

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
    send(res.status(failure.status), errorPage(failure));
  };
}

function errorPage({ status, message }: HttpError): string {
  const title = `${status} ${STATUS_CODES[status]}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Animal Store API</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${escapeHtml(message)}</p>
<p><a href="${docsPaths.home}">The reference of the Animal Store API</a></p>
</main>
</body>
</html>
`;
}
