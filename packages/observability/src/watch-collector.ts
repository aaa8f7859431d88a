import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Clock } from '@animal-store/runtime';
import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** The diagnostics channel on which Node publishes every failed HTTP request of this process. */
const failedRequests = 'http.client.request.error';

/**
 * Observes whether the trace collector accepts spans, so that a shutdown does not wait for an
 * unavailable collector.
 *
 * The exporter reports a failure too late, because it retries for up to 10 s. So failed connections
 * to the collector are observed on a diagnostics channel of Node.
 *
 * @param options.url the URL to which the exporter sends spans.
 * @param options.patienceMs the time without a response after which the collector counts as
 * unavailable.
 */
export function watchCollector(
  exporter: SpanExporter,
  options: { url: string; clock: Clock; patienceMs: number },
) {
  const { clock, patienceMs } = options;
  const { host, pathname } = new URL(options.url);
  /** The batches of spans for which the collector has not sent a response. */
  const unanswered = new Map<object, { readonly sentAt: number; readonly spans: number }>();
  let hasFailed = false;
  let unavailable = Promise.withResolvers<void>();

  function recordFailure(): void {
    hasFailed = true;
    unavailable.resolve();
  }

  function recordSuccess(): void {
    if (hasFailed) unavailable = Promise.withResolvers<void>();
    hasFailed = false;
  }

  const onFailedRequest = (message: unknown) => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader('host') === host && request.path === pathname) recordFailure();
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
        if (result.code === ExportResultCode.SUCCESS) recordSuccess();
        else recordFailure();
        onResult(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
  return {
    /**
     * The exporter that must be used instead of the given one, so that its exports are observed.
     */
    exporter: watched,
    /** Returns a promise that resolves as soon as the collector counts as unavailable. */
    untilUnavailable: () => (isLate() ? Promise.resolve() : unavailable.promise),
    /**
     * Returns the number of spans in the batches for which the collector has not sent a response.
     */
    unansweredSpans: () => [...unanswered.values()].reduce((sum, { spans }) => sum + spans, 0),
    close: () => void unsubscribe(failedRequests, onFailedRequest),
  };
}
