/** The parts of a page that say whether something in it is pressed. */
interface Page extends Pick<EventTarget, 'addEventListener'> {
  document: { querySelector: (selector: string) => object | null }
}

/**
 * Ends of a press, whichever comes: a finger is up before the press moves the focus, and the mouse events that follow it end the press; a
 * key is pressed without a pointer; a window that loses the focus gets no event of the end.
 */
const ends = ['pointerup', 'pointercancel', 'mouseup', 'keyup', 'blur'] as const

/**
 * Acts at once, or while something is pressed, when it is released. A change of the page in between could move what is pressed
 * away from below the pointer, and the press would be lost.
 */
export function whenReleased(act: () => void, page: Page = window): void {
  if (page.document.querySelector(':active') === null) {
    act()
    return
  }
  const isOver = new AbortController()
  const released = (event: Event) => {
    // A control that loses the focus is not the end, but what began this.
    if (event.type === 'blur' && event.target !== event.currentTarget) return
    isOver.abort()
    // Behind the click, which follows the release.
    setTimeout(act)
  }
  for (const end of ends) page.addEventListener(end, released, { capture: true, signal: isOver.signal })
}
