import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Clock } from '@animal-store/runtime';
import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** Node publishes every failed HTTP request of this process on this channel. */
const failedRequests = 'http.client.request.error';

/**
 * Watches whether the collector accepts spans, so that shutting down does not wait for an
 * unavailable collector.
 *
 * The exporter reports a failure too late, because it retries for up to 10 s. So failed connections
 * to the collector are observed on a diagnostics channel of Node.
 *
 * @param options.url the URL that the exporter sends to.
 * @param options.patienceMs how long the collector may take to respond before it counts as
 * unavailable.
 */
export function watchCollector(
  exporter: SpanExporter,
  options: { url: string; clock: Clock; patienceMs: number },
) {
  const { clock, patienceMs } = options;
  const { host, pathname } = new URL(options.url);
  /** The batches without a response of the collector. */
  const unanswered = new Map<object, { readonly sentAt: number; readonly spans: number }>();
  let hasFailed = false;
  let away = Promise.withResolvers<void>();

  function noteFailure(): void {
    hasFailed = true;
    away.resolve();
  }

  function noteSuccess(): void {
    if (hasFailed) away = Promise.withResolvers<void>();
    hasFailed = false;
  }

  const onFailedRequest = (message: unknown) => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader('host') === host && request.path === pathname) noteFailure();
  };
  subscribe(failedRequests, onFailedRequest);

  const isLate = () =>
    [...unanswered.values()].some(({ sentAt }) => sentAt + patienceMs <= clock.elapsed());

  const watched: SpanExporter = {
    export(spans, onResult) {
      const batch = {};
      unanswered.set(batch, { sentAt: clock.elapsed(), spans: spans.length });
      exporter.export(spans, (result) => {
        unanswered.delete(batch);
        if (result.code === ExportResultCode.SUCCESS) noteSuccess();
        else noteFailure();
        onResult(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
  return {
    /** The exporter to use instead of the given one. */
    exporter: watched,
    /** Resolves as soon as the collector counts as unavailable. */
    untilAway: () => (isLate() ? Promise.resolve() : away.promise),
    /** Returns the number of spans that were sent without a response. */
    unansweredSpans: () => [...unanswered.values()].reduce((sum, { spans }) => sum + spans, 0),
    close: () => void unsubscribe(failedRequests, onFailedRequest),
  };
}
