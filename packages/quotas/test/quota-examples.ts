import type { Consumer } from '../src/consumer.ts';

/**
 * One step of an example. First, the time `afterMs` passes. Then the API key sends `times`
 * requests. `outcomes` lists the expected outcomes, and `last` is a part of the description of the
 * last decision.
 *
 * In the descriptions, `@61` means 61 s after the start of the example. The numbers after `in` and
 * `wait` are seconds.
 */
type Step = readonly [
  afterMs: number,
  key: Consumer,
  times: number,
  outcomes: string,
  last?: string,
];

const small = { id: 'small', quota: { perMinute: 3, perDay: 5 } };
const even = { id: 'even', quota: { perMinute: 3, perDay: 3 } };
const aDay = { id: 'a day', quota: { perMinute: 60, perDay: 1 } };
const narrow = { id: 'narrow', accountId: 'narrow', quota: { perMinute: 4, perDay: 3 } };
export const free = { id: 'free', quota: { perMinute: 60, perDay: 1_000 } };
export const one = { ...free, id: 'one', accountId: 'shared' };
const other = { ...one, id: 'other' };

/**
 * Returns the steps that use up the minute quota of an API key, and then cause as many strikes
 * (denied requests that count towards a ban) as possible without a ban.
 */
export const strikeOut = (key: Consumer): readonly Step[] => [
  [0, key, 61, '60 admitted, 1 denied'],
  [1_000, key, 30, '30 denied'],
];

const banFor = (seconds: number): readonly Step[] => [
  ...strikeOut(free),
  [0, free, 1, '1 banned', `wait ${seconds} `],
];

/**
 * Examples with exact numbers under the default ban policy. Every store must decide all of them as
 * described.
 */
export const examples: Readonly<Record<string, readonly Step[]>> = {
  'an admitted request counts in both windows, a denied request in none, and the minute ends 60 s after its first request':
    [
      [
        ...([0, small, 1, '1 admitted'] as const),
        'admitted by minute 2/3 @61 (minute 2/3 @61 in 60, day 4/5 @86401 in 86400)',
      ],
      [0, small, 2, '2 admitted'],
      [
        ...([59_999, small, 50, '50 denied'] as const),
        'denied by minute 0/3 @61 wait 1 (minute 0/3 @61 in 1, day 2/5 @86401 in 86341)',
      ],
      [1, small, 1, '1 admitted', '(minute 2/3 @121 in 60, day 1/5 @86401 in 86340)'],
    ],
  'a request that the day window denies does not count in the minute, and the day ends a day after its first request':
    [
      [0, small, 3, '3 admitted'],
      [
        ...([60_000, small, 3, '2 admitted, 1 denied'] as const),
        'denied by day 0/5 @86401 wait 86340 (minute 1/3 @121 in 60, day 0/5 @86401 in 86340)',
      ],
      [86_339_999, small, 1, '1 denied', 'wait 1 '],
      [1, small, 1, '1 admitted', '(minute 2/3 @86461 in 60, day 4/5 @172801 in 86400)'],
    ],
  'a decision reports the window with fewer requests left, and the minute if both have the same number':
    [
      [0, even, 1, '1 admitted', 'admitted by minute 2/3 @61'],
      [60_000, even, 1, '1 admitted', 'admitted by day 1/3 @86401'],
    ],
  'a decision reports the window that resets later when both windows deny the request': [
    [0, even, 4, '3 admitted, 1 denied', 'denied by day 0/3 @86401 wait 86400 ('],
  ],
  'a change of the plan applies from the next request on and keeps the counts': [
    [0, small, 3, '3 admitted'],
    [
      ...([0, { ...small, quota: { perMinute: 10, perDay: 100 } }, 1, '1 admitted'] as const),
      '(minute 6/10 @61 in 60, day 96/100 @86401 in 86400)',
    ],
    [
      ...([0, { ...small, quota: { perMinute: 2, perDay: 100 } }, 1, '1 denied'] as const),
      'denied by minute 0/2 @61 wait 60 (minute 0/2 @61 in 60, day 96/100 @86401 in 86400)',
    ],
  ],
  'denied requests in the first second are no strikes, the 15th strike causes a warning, and the 31st strike a ban':
    [
      [0, free, 260, '60 admitted, 200 denied'],
      [999, free, 200, '200 denied', 'wait 60 (minute'],
      [1, free, 14, '14 denied', 'wait 59 (minute'],
      [0, free, 1, '1 denied', 'wait 59 warned (minute'],
      [
        ...([0, free, 16, '15 denied, 1 banned'] as const),
        'banned by minute 0/60 @302 wait 300 (minute 0/60 @302 in 300, day 0/1000 @302 in 300)',
      ],
    ],
  'requests during a ban are not counted and do not extend the ban': [
    ...banFor(300),
    [299_999, free, 20, '20 banned', 'banned by minute 0/60 @302 wait 1 ('],
    [1, free, 1, '1 admitted', '(minute 59/60 @362 in 60, day 939/1000 @86401 in 86099)'],
  ],
  'each further ban is twice as long, up to an hour, and a ban a day after the last one is as short as the first':
    [
      ...[300, 600, 1_200, 2_400, 3_600, 3_600].flatMap((seconds, i) => [
        ...banFor(seconds),
        [seconds * 1_000, { ...free, id: `nobody ${i}` }, 1, '1 admitted'] as const,
      ]),
      [86_400_000, small, 1, '1 admitted'],
      ...banFor(300),
    ],
  'all strikes (denied requests that count towards a ban) expire a minute after the first one': [
    [0, aDay, 2, '1 admitted, 1 denied'],
    [1_000, aDay, 20, '20 denied'],
    [50_000, aDay, 10, '10 denied'],
    [10_000, aDay, 30, '30 denied'],
    [0, aDay, 1, '1 banned'],
  ],
  'keys of an account share both windows, but not with a key outside the account': [
    [0, one, 40, '40 admitted'],
    [0, other, 21, '20 admitted, 1 denied', '(minute 0/60 @61 in 60, day 940/1000'],
    [0, { ...one, accountId: undefined }, 1, '1 admitted', '(minute 59/60 @61 in 60, day 999'],
  ],
  'a key begins a new episode (a series of denied requests) in each window that other keys of its account have used up':
    [
      [0, one, 61, '60 admitted, 1 denied'],
      [60_000, other, 60, '60 admitted'],
      // These 100 denied requests begin a new episode (a series of denied requests), because the
      // window that denied the earlier request has reset. No request of this API key was admitted
      // in between.
      [2_000, one, 100, '100 denied', 'wait 58 (minute'],
      [1_000, one, 31, '30 denied, 1 banned'],
    ],
  'an episode (a series of denied requests) continues when one of two full windows was opened before it began':
    [
      [0, narrow, 2, '2 admitted'],
      [86_399_000, { ...narrow, id: 'another' }, 1, '1 admitted'],
      [500, narrow, 1, '1 denied', 'by day'],
      // A new day window begins after the start of the episode, and is used up. The minute window
      // was opened before the episode, and is now full too.
      [500, { ...narrow, id: 'another' }, 3, '3 admitted'],
      [1_000, narrow, 5, '5 denied', 'wait 86399 warned (minute 0/4'],
    ],
  'a window lasts no longer than its length after the clock was set back by an hour': [
    [0, small, 4, '3 admitted, 1 denied'],
    [
      ...([-3_600_000, small, 1, '1 denied'] as const),
      'denied by minute 0/3 @-3539 wait 60 (minute 0/3 @-3539 in 60, day 2/5 @82801 in 86400)',
    ],
    [59_999, small, 1, '1 denied', 'wait 1 '],
    [1, small, 1, '1 admitted', '(minute 2/3 @-3479 in 60, day 1/5 @82801 in 86340)'],
  ],
  'the windows of an account last no longer than their length after the clock was set back': [
    [0, one, 61, '60 admitted, 1 denied'],
    [-3_600_000, other, 1, '1 denied', 'wait 60 '],
    [60_000, one, 1, '1 admitted', '(minute 59/60 @-3479 in 60'],
  ],
  'a ban lasts no longer than its length after the clock was set back by an hour': [
    ...banFor(300),
    [-3_600_000, free, 1, '1 banned', 'banned by minute 0/60 @-3298 wait 300 ('],
    [299_999, free, 1, '1 banned', 'wait 1 '],
    [1, free, 1, '1 admitted'],
  ],
};
