/** Requests without a response: the number of each request, and the time when it expires. */
type Requests = Map<number, number>;

/** The requests of one API key that have no response yet, and the functions that change them. */
type UnansweredRequests = [
  /** The requests whose calls wait for the response. */
  inFlight: Requests,
  /**
   * The requests whose calls have ended without a response. These requests may still reach the
   * service.
   */
  lost: Requests,
  /** Adds a request to `inFlight` or to `lost`. */
  add: (requests: Requests, number: number, expiresAtMs: number) => void,
  /** Removes the requests that have expired from `inFlight` and `lost`. */
  removeExpired: (now: number) => void,
];

/** Creates two empty maps of unanswered requests. All times are values of `performance.now()`. */
export function createUnansweredRequests(): UnansweredRequests {
  const inFlight: Requests = new Map();
  const lost: Requests = new Map();

  /**
   * The time before which no request expires. Without this time, each call would have to check all
   * requests. The total time of these checks would grow with the square of the number of calls.
   */
  let soonestMs = Number.POSITIVE_INFINITY;

  function add(requests: Requests, number: number, expiresAtMs: number) {
    requests.set(number, expiresAtMs);
    soonestMs = Math.min(soonestMs, expiresAtMs);
  }

  function removeExpired(now: number) {
    if (soonestMs < now) {
      soonestMs = Number.POSITIVE_INFINITY;
      for (const requests of [inFlight, lost]) {
        for (const [number, expiresAtMs] of requests) {
          if (expiresAtMs < now) requests.delete(number);
          else add(requests, number, expiresAtMs);
        }
      }
    }
  }

  return [inFlight, lost, add, removeExpired];
}
