/**
 * Events that only a person causes. Pointer moves are not included, because browsers also send them
 * when the page moves under the pointer.
 */
const actions = ['pointerdown', 'click', 'keydown', 'input', 'wheel', 'touchmove'];

let hasActed = false;

/** Starts to record whether somebody uses the page. */
export function watchOperator(page: EventTarget): void {
  for (const action of actions) {
    page.addEventListener(action, noteAction, { capture: true, passive: true });
  }
}

/** Returns whether somebody has used the page since the last call. */
export function takeActivity(): boolean {
  const was = hasActed;
  hasActed = false;
  return was;
}

function noteAction(event: Event): void {
  // A key with an object on it repeats forever.
  if (!('repeat' in event && event.repeat)) hasActed = true;
}
