// Which step a key leads to.

/** The step to which an arrow key leads, or undefined if it leads nowhere. */
export function stepAfter(current: number, key: string, count: number): number | undefined {
  const wanted = key === 'ArrowRight' ? current + 1 : key === 'ArrowLeft' ? current - 1 : -1;
  return wanted >= 0 && wanted < count ? wanted : undefined;
}

/**
 * The step to which Page Down or Page Up leads; undefined if the key should scroll, because a part of the step in view
 * has not been seen yet in that direction.
 *
 * @param top where the step in view begins, in pixels below the top of the window
 * @param bottom where it ends
 */
export function pageTurn(
  current: number,
  key: string,
  count: number,
  top: number,
  bottom: number,
  height: number,
): number | undefined {
  if (key === 'PageDown' && bottom <= height) return stepAfter(current, 'ArrowRight', count);
  // Half a pixel, because scrolling stops at whole ones.
  if (key === 'PageUp' && top >= -0.5) return stepAfter(current, 'ArrowLeft', count);
  return undefined;
}
