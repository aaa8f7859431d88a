/** The waiting requests of one caller, in the order of arrival. */
interface CallerQueue<Waiting> {
  readonly caller: string;
  readonly requests: Waiting[];
}

/** How many empty queues are kept before they are deleted. */
const maxEmptyQueues = 100;

/**
 * Creates one queue for each caller. Callers take turns with one request each. This is fair
 * queueing as in FQ-CoDel (RFC 8290, §4), with requests that all count the same.
 *
 * A caller that begins to wait comes before callers that have had a turn. So a caller with few
 * requests does not wait for a caller with many. It loses this advantage until its queue has been
 * found empty (§4.2). Otherwise, callers that send one request after the other would keep all
 * others from their turns.
 */
export function createCallerQueues<Waiting>() {
  const queues = new Map<string, CallerQueue<Waiting>>();
  const newQueues: CallerQueue<Waiting>[] = [];
  const oldQueues: CallerQueue<Waiting>[] = [];
  let size = 0;

  /** Counts a request that no longer waits. If no request is left, no caller needs a turn. */
  function removed(): void {
    size -= 1;
    if (size > 0) return;
    queues.clear();
    newQueues.length = 0;
    oldQueues.length = 0;
  }

  /**
   * Deletes empty queues if there are many. Otherwise they would stay as long as no request begins.
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

  return {
    /** The number of waiting requests. */
    get size() {
      return size;
    },

    /** Returns the number of waiting requests of a caller. */
    sizeOf(caller: string): number {
      return queues.get(caller)?.requests.length ?? 0;
    },

    /** Adds a request to the queue of its caller. */
    add(caller: string, request: Waiting): void {
      let queue = queues.get(caller);
      if (queue === undefined) {
        queue = { caller, requests: [] };
        queues.set(caller, queue);
        newQueues.push(queue);
      }
      queue.requests.push(request);
      size += 1;
      forgetEmptyQueues();
    },

    /**
     * Takes the oldest or the newest request of the caller whose turn it is; returns `undefined` if
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
        removed();
        return request;
      }
    },

    /** Takes the oldest request of a caller. */
    takeOldestOf(caller: string): Waiting | undefined {
      const request = queues.get(caller)?.requests.shift();
      if (request !== undefined) removed();
      return request;
    },

    /**
     * Returns the caller with the most requests. If no caller has more than the given one, it
     * returns the given one.
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
