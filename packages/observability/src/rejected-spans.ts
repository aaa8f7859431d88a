import { hideTokens } from '@animal-store/contract/token-form';

/** A response of a trace collector that has accepted only a part of a batch. */
export interface RejectedSpans {
  readonly spans: number;
  /** The reason of the collector, which may be empty. */
  readonly reason: string;
}

/** The message of OpenTelemetry's log when the response of a collector has a partial success. */
const partialSuccess = 'Received Partial Success response:';

/**
 * Returns how many spans of a batch a trace collector has rejected. Returns `undefined` if the
 * message of OpenTelemetry's log is about something else.
 *
 * OpenTelemetry counts the whole batch as sent, and reports rejected spans only in its log. So the
 * service would not count them as dropped.
 *
 * @param details the JSON of `partialSuccess`. Collectors write the 64-bit number as a string.
 * @see https://opentelemetry.io/docs/specs/otlp/#partial-success-1
 */
export function findRejectedSpans(message: string, details: unknown): RejectedSpans | undefined {
  if (message !== partialSuccess) return undefined;
  const { rejectedSpans = 0, errorMessage = '' } = JSON.parse(String(details)) as {
    rejectedSpans?: string | number;
    errorMessage?: string;
  };
  return { spans: Number(rejectedSpans) || 0, reason: hideTokens(String(errorMessage)) };
}
