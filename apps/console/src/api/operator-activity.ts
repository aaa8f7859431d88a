/**
 * The events that show that a person uses the page. Pointer moves are not included, because
 * browsers also send them when the page scrolls under a still pointer.
 */
const actions = ['pointerdown', 'click', 'keydown', 'input', 'wheel', 'touchmove'];

let hasActed = false;

/** Starts to record whether an operator uses the page. */
export function watchOperator(page: EventTarget): void {
  for (const action of actions) {
    page.addEventListener(action, recordAction, { capture: true, passive: true });
  }
}

/** Returns whether an operator has used the page since the last call. */
export function takeActivity(): boolean {
  const was = hasActed;
  hasActed = false;
  return was;
}

function recordAction(event: Event): void {
  // A key event that repeats while the key is held down is ignored. Otherwise an object that lies
  // on the keyboard would look like an active operator.
  if (!('repeat' in event && event.repeat)) hasActed = true;
}
