/**
 * Acts at once, or while a button of a pointer is pressed, when it is released. A change of the page in between could move what is pressed
 * away from below the pointer, and the press would be lost.
 */
export function whenReleased(act: () => void): void {
  if (document.querySelector(':active') === null) {
    act()
    return
  }
  const isOver = new AbortController()
  const released = () => {
    isOver.abort()
    // Behind the click, which follows the release.
    setTimeout(act)
  }
  for (const end of ['pointerup', 'pointercancel'] as const)
    window.addEventListener(end, released, { capture: true, signal: isOver.signal })
}
