/**
 * The two groups of callers: callers with an API key that this replica has cached, and all others,
 * which are known only by their network.
 */
export type CallerGroup = 'keys' | 'networks';

/** The sender of a request, as far as it is known before the request is handled. */
export interface WaitingCaller {
  /** The unique name of the caller. */
  readonly name: string;
  readonly group: CallerGroup;
}

/** A request or connection that can wait in the queues. */
export interface Queued {
  /** The caller that sent the request. The request waits in the queue of this caller. */
  readonly caller: WaitingCaller;
  /** Whether the request waits in a queue. Only the queues change this value. */
  isQueued: boolean;
}

/** The waiting requests of one caller, in the order of arrival. */
interface CallerQueue<Waiting> {
  readonly caller: WaitingCaller;
  readonly requests: Waiting[];
}

/**
 * The queues of one group. The first queue of each list is the next one from which a request is
 * taken.
 */
interface GroupQueues<Waiting> {
  /**
   * The queues of callers from which no request has been taken yet. They come before `oldQueues`.
   */
  readonly newQueues: CallerQueue<Waiting>[];
  readonly oldQueues: CallerQueue<Waiting>[];
  /** The number of waiting requests of all callers in the group. */
  size: number;
}

/**
 * The number of empty queues that may stay in the lists. If there are many more, all of them are
 * deleted together, because a deletion copies the whole list.
 */
const maxEmptyQueues = 100;

/**
 * The number of requests that may stay in `arrivals` after they have left their queues. If there
 * are many more, all of them are deleted together, because a deletion copies the whole list.
 */
const maxOldArrivals = 100;

/**
 * Creates one queue for each caller. The load shedder takes one request from each queue after the
 * other (round robin). This is fair queueing as in FQ-CoDel (RFC 8290, §4), where every request has
 * the same weight.
 *
 * Callers with an API key and callers without one are two groups, which alternate while both have
 * waiting requests. An attacker without a key can send from thousands of networks, for example with
 * IPv6. Without groups, each of these networks would get as many requests handled as a customer.
 *
 * The queue of a new caller comes before the queues from which a request was already taken. So a
 * caller with few requests does not wait for a caller with many. After the first request of a
 * caller, its queue is no longer new. The caller counts as new again only after the load shedder
 * has found this queue empty (RFC 8290, §4.2). Without this rule, callers that send one request
 * after the other would count as new each time, and all others would wait forever.
 */
export function createCallerQueues<Waiting extends Queued>() {
  const queues = new Map<string, CallerQueue<Waiting>>();
  /**
   * The requests of all callers in the order of arrival. The list may also contain requests that no
   * longer wait.
   */
  const arrivals: Waiting[] = [];
  const groups: Readonly<Record<CallerGroup, GroupQueues<Waiting>>> = {
    keys: { newQueues: [], oldQueues: [], size: 0 },
    networks: { newQueues: [], oldQueues: [], size: 0 },
  };
  let nextGroup: CallerGroup = 'keys';

  const size = () => groups.keys.size + groups.networks.size;

  /**
   * Records that a request has left its queue. When no request is left, all queues are deleted.
   */
  function recordRemoval(request: Waiting): void {
    request.isQueued = false;
    groups[request.caller.group].size -= 1;
    if (size() > 0) return;
    queues.clear();
    arrivals.length = 0;
    for (const { newQueues, oldQueues } of Object.values(groups)) {
      newQueues.length = 0;
      oldQueues.length = 0;
    }
  }

  /**
   * Deletes the empty queues if there are many. Otherwise an empty queue is deleted only when the
   * next request is taken, and during an overload this may take long.
   */
  function forgetEmptyQueues(): void {
    if (queues.size <= 2 * size() + maxEmptyQueues) return;
    const lists = Object.values(groups).flatMap(({ newQueues, oldQueues }) => [
      newQueues,
      oldQueues,
    ]);
    for (const list of lists) {
      const kept = list.filter(({ requests }) => requests.length > 0);
      list.length = 0;
      for (const queue of kept) list.push(queue);
    }
    for (const { caller, requests } of queues.values()) {
      if (requests.length === 0) queues.delete(caller.name);
    }
  }

  /**
   * Deletes the requests that no longer wait from `arrivals`, if there are many. The function
   * `oldest` also deletes them, but the ops listener never calls `oldest`.
   */
  function forgetOldArrivals(): void {
    if (arrivals.length <= 2 * size() + maxOldArrivals) return;
    const waiting = arrivals.filter(({ isQueued }) => isQueued);
    arrivals.length = 0;
    for (const request of waiting) arrivals.push(request);
  }

  /** Returns the number of waiting requests of a caller. */
  function sizeOf({ name }: WaitingCaller): number {
    return queues.get(name)?.requests.length ?? 0;
  }

  /** Removes the oldest request of a caller from its queue, and returns the request. */
  function takeOldestOf({ name }: WaitingCaller): Waiting | undefined {
    const request = queues.get(name)?.requests.shift();
    if (request !== undefined) recordRemoval(request);
    return request;
  }

  /** Removes a request from the queue of the next caller in a group, and returns the request. */
  function takeNextOf(
    { newQueues, oldQueues }: GroupQueues<Waiting>,
    which: 'oldest' | 'newest',
  ): Waiting | undefined {
    for (;;) {
      const isNew = newQueues.length > 0;
      const queue = isNew ? newQueues.shift() : oldQueues.shift();
      if (queue === undefined) return undefined;
      const request = which === 'oldest' ? queue.requests.shift() : queue.requests.pop();
      if (request !== undefined || isNew) oldQueues.push(queue);
      else queues.delete(queue.caller.name);
      if (request === undefined) continue;
      recordRemoval(request);
      return request;
    }
  }

  /** Returns the oldest waiting request of all callers. The request stays in its queue. */
  function oldest(): Waiting | undefined {
    const first = arrivals.findIndex(({ isQueued }) => isQueued);
    if (first !== 0) arrivals.splice(0, first === -1 ? arrivals.length : first);
    return arrivals[0];
  }

  return {
    oldest,
    sizeOf,

    /** The number of waiting requests. */
    get size() {
      return size();
    },

    /**
     * The average number of waiting requests for each caller. Callers whose empty queues are not
     * deleted yet are included.
     */
    get meanSize() {
      return size() / Math.max(1, queues.size);
    },

    /** Returns the number of waiting requests of all callers in a group. */
    sizeOfGroup: (group: CallerGroup): number => groups[group].size,

    /** Adds a request to the queue of its caller. */
    add(request: Waiting): void {
      const { caller } = request;
      const group = groups[caller.group];
      let queue = queues.get(caller.name);
      if (queue === undefined) {
        queue = { caller, requests: [] };
        queues.set(caller.name, queue);
        group.newQueues.push(queue);
      }
      queue.requests.push(request);
      arrivals.push(request);
      request.isQueued = true;
      group.size += 1;
      forgetEmptyQueues();
      forgetOldArrivals();
    },

    /** Removes a request from its queue, if it still waits. */
    remove(request: Waiting): void {
      if (!request.isQueued) return;
      const requests = queues.get(request.caller.name)?.requests;
      requests?.splice(requests.indexOf(request), 1);
      recordRemoval(request);
    },

    /**
     * Takes the oldest or the newest request of the caller that comes next. Returns `undefined` if
     * no request waits.
     */
    takeNext(which: 'oldest' | 'newest'): Waiting | undefined {
      const [first, second] = [nextGroup, otherGroup(nextGroup)];
      nextGroup = second;
      return takeNextOf(groups[first], which) ?? takeNextOf(groups[second], which);
    },

    /**
     * Takes the oldest request of all callers from its queue if `isDue` returns true for the
     * request.
     */
    takeOldestIf(isDue: (request: Waiting) => boolean): Waiting | undefined {
      const first = oldest();
      // The oldest request of all callers is also the first one in the queue of its caller.
      return first !== undefined && isDue(first) ? takeOldestOf(first.caller) : undefined;
    },

    /**
     * Takes the oldest request of the busiest caller, so that a request of another caller can wait
     * instead. The function first chooses the group with more waiting requests. In this group, the
     * busiest caller is the caller with the longest queue.
     *
     * @returns `undefined` if the given caller is itself the busiest one.
     */
    takeFromBusiest(caller: WaitingCaller): Waiting | undefined {
      const other = otherGroup(caller.group);
      const group = groups[other].size > groups[caller.group].size ? other : caller.group;
      let busiest: CallerQueue<Waiting> | undefined;
      let most = group === caller.group ? sizeOf(caller) : 0;
      for (const queue of queues.values()) {
        if (queue.caller.group !== group || queue.requests.length <= most) continue;
        busiest = queue;
        most = queue.requests.length;
      }
      return busiest && takeOldestOf(busiest.caller);
    },
  };
}

function otherGroup(group: CallerGroup): CallerGroup {
  return group === 'keys' ? 'networks' : 'keys';
}
