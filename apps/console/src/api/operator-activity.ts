/**
 * What only a person does. Not moves of the pointer: browsers tell of some when the page has moved under it.
 */
const actions = ['pointerdown', 'click', 'keydown', 'input', 'wheel', 'touchmove'];

let hasActed = false;

/** Notes from now on whether somebody uses the page. */
export function watchOperator(page: EventTarget): void {
  for (const action of actions) {
    page.addEventListener(action, noteAction, { capture: true, passive: true });
  }
}

/** Tells whether somebody has used the page since this was last asked. */
export function takeActivity(): boolean {
  const was = hasActed;
  hasActed = false;
  return was;
}

function noteAction(event: Event): void {
  // A key on which something lies is repeated for ever.
  if (!('repeat' in event && event.repeat)) hasActed = true;
}
