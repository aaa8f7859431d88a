/** A request or connection that can wait in the queues. */
export interface Queued {
  /** The name of the caller. The request waits in the queue of this caller. */
  readonly caller: string;
  /** Whether the request waits in a queue. Only the queues change this value. */
  isQueued: boolean;
}

/** The waiting requests of one caller, in the order of arrival. */
interface CallerQueue<Waiting> {
  readonly caller: string;
  readonly requests: Waiting[];
}

/** The number of empty queues that may be kept before they are deleted. */
const maxEmptyQueues = 100;

/**
 * Creates one queue for each caller. The load shedder takes one request from each queue after the
 * other (round robin). This is fair queueing as in FQ-CoDel (RFC 8290, §4), where every request has
 * the same weight.
 *
 * The queue of a new caller comes before the queues from which a request was already taken. So a
 * caller with few requests does not wait for a caller with many. After its first request, a caller
 * is no longer new until its queue has been found empty (RFC 8290, §4.2). Without this rule,
 * callers that send one request after the other would count as new each time, and all others would
 * wait forever.
 */
export function createCallerQueues<Waiting extends Queued>() {
  const queues = new Map<string, CallerQueue<Waiting>>();
  /**
   * The requests of all callers in the order of arrival. The list may also contain requests that no
   * longer wait.
   */
  const arrivals: Waiting[] = [];
  const newQueues: CallerQueue<Waiting>[] = [];
  const oldQueues: CallerQueue<Waiting>[] = [];
  let size = 0;

  /**
   * Records that a request has left its queue. When no request is left, all queues are deleted.
   */
  function removed(request: Waiting): void {
    request.isQueued = false;
    size -= 1;
    if (size > 0) return;
    queues.clear();
    arrivals.length = 0;
    newQueues.length = 0;
    oldQueues.length = 0;
  }

  /**
   * Deletes empty queues if there are many. They are otherwise deleted only when requests start,
   * which may take long during an overload.
   */
  function forgetEmptyQueues(): void {
    if (queues.size <= 2 * size + maxEmptyQueues) return;
    for (const list of [newQueues, oldQueues]) {
      const kept = list.filter(({ requests }) => requests.length > 0);
      list.length = 0;
      for (const queue of kept) list.push(queue);
    }
    for (const { caller, requests } of queues.values()) {
      if (requests.length === 0) queues.delete(caller);
    }
  }

  /** Takes the oldest request of a caller. */
  function takeOldestOf(caller: string): Waiting | undefined {
    const request = queues.get(caller)?.requests.shift();
    if (request !== undefined) removed(request);
    return request;
  }

  /** Returns the oldest waiting request of all callers. The request stays in its queue. */
  function oldest(): Waiting | undefined {
    const first = arrivals.findIndex(({ isQueued }) => isQueued);
    if (first !== 0) arrivals.splice(0, first === -1 ? arrivals.length : first);
    return arrivals[0];
  }

  return {
    oldest,
    takeOldestOf,

    /** The number of waiting requests. */
    get size() {
      return size;
    },

    /** Returns the number of waiting requests of a caller. */
    sizeOf(caller: string): number {
      return queues.get(caller)?.requests.length ?? 0;
    },

    /** Adds a request to the queue of its caller. */
    add(request: Waiting): void {
      const { caller } = request;
      let queue = queues.get(caller);
      if (queue === undefined) {
        queue = { caller, requests: [] };
        queues.set(caller, queue);
        newQueues.push(queue);
      }
      queue.requests.push(request);
      arrivals.push(request);
      request.isQueued = true;
      size += 1;
      forgetEmptyQueues();
    },

    /**
     * Takes the oldest or the newest request of the caller that comes next. Returns `undefined` if
     * no request waits.
     */
    takeNext(which: 'oldest' | 'newest'): Waiting | undefined {
      for (;;) {
        const isNew = newQueues.length > 0;
        const queue = isNew ? newQueues.shift() : oldQueues.shift();
        if (queue === undefined) return undefined;
        const request = which === 'oldest' ? queue.requests.shift() : queue.requests.pop();
        if (request !== undefined || isNew) oldQueues.push(queue);
        else queues.delete(queue.caller);
        if (request === undefined) continue;
        removed(request);
        return request;
      }
    },

    /** Takes the oldest request of all callers from its queue if `isDue` returns true for it. */
    takeOldestIf(isDue: (request: Waiting) => boolean): Waiting | undefined {
      const first = oldest();
      // The oldest request of all callers is also the oldest of its own caller.
      return first !== undefined && isDue(first) ? takeOldestOf(first.caller) : undefined;
    },

    /**
     * Returns the caller with the most waiting requests. Returns the given caller if no other one
     * has more requests.
     */
    longest(caller: string): string {
      let longest = caller;
      let most = queues.get(caller)?.requests.length ?? 0;
      for (const queue of queues.values()) {
        if (queue.requests.length <= most) continue;
        longest = queue.caller;
        most = queue.requests.length;
      }
      return longest;
    },
  };
}
