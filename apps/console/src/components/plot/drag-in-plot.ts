import type uPlot from 'uplot';

/** The shortest movement that counts as a drag, in pixels. A shorter movement is a click. */
const shortestPx = 4;

/**
 * Lets the user select a part of a plot by dragging with a mouse, a finger or a pen. uPlot itself
 * only supports a mouse.
 *
 * @param choose receives both ends of the selection, in pixels from the left side of the plot.
 */
export function dragInPlot(plot: uPlot, choose: (left: number, right: number) => void): void {
  const { over } = plot;
  let start: number | undefined;
  const placeOf = ({ clientX }: PointerEvent) => {
    const { left, width } = over.getBoundingClientRect();
    return Math.min(Math.max(clientX - left, 0), width);
  };
  const show = (left: number, right: number) =>
    plot.setSelect({ left, width: right - left, top: 0, height: over.clientHeight }, false);
  const sorted = (one: number, other: number) =>
    [Math.min(one, other), Math.max(one, other)] as const;

  over.addEventListener('pointerdown', (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    start = placeOf(event);
    // The plot receives the events even if the pointer leaves it during the drag.
    over.setPointerCapture(event.pointerId);
    plot.setCursor({ left: start, top: event.offsetY });
  });
  over.addEventListener('pointermove', (event) => {
    if (start === undefined || !event.isPrimary) return;
    const place = placeOf(event);
    show(...sorted(start, place));
    plot.setCursor({ left: place, top: event.offsetY });
  });
  over.addEventListener('pointerup', (event) => {
    if (start === undefined || !event.isPrimary) return;
    const [left, right] = sorted(start, placeOf(event));
    start = undefined;
    show(0, 0);
    if (right - left >= shortestPx) choose(left, right);
  });
  // The browser has taken over the gesture, for example to scroll the page, so the drag is
  // cancelled.
  over.addEventListener('pointercancel', () => {
    start = undefined;
    show(0, 0);
  });
}
