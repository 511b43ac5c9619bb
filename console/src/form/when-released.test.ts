import { beforeEach, describe, expect, it, vi } from 'vitest'
import { whenReleased } from './when-released.ts'

class TestPage extends EventTarget {
  active: object | null = null
  readonly document = { querySelector: () => this.active }
}

let page: TestPage
let act: ReturnType<typeof vi.fn<() => void>>
beforeEach(() => {
  page = new TestPage()
  act = vi.fn<() => void>()
})
const afterwards = () => new Promise((resolve) => setTimeout(resolve))

it('acts at once while nothing is pressed', () => {
  whenReleased(act, page)
  expect(act).toHaveBeenCalledOnce()
})

describe('while something is pressed', () => {
  beforeEach(() => {
    page.active = {}
    whenReleased(act, page)
  })

  // After a tap only `mouseup` is left: the pointer was up before the focus moved.
  it.each(['pointerup', 'pointercancel', 'mouseup', 'keyup', 'blur'])(
    'acts once, behind the click that follows %s',
    async (end) => {
      const seen: string[] = []
      act.mockImplementation(() => void seen.push('act'))
      page.addEventListener('click', () => seen.push('click'))
      expect(act).not.toHaveBeenCalled()
      page.dispatchEvent(new Event(end))
      page.dispatchEvent(new Event('click'))
      page.dispatchEvent(new Event('mouseup'))
      await afterwards()
      expect(seen).toEqual(['click', 'act'])
    },
  )

  it('does not act when a control in the page loses the focus', async () => {
    const blurred = new Event('blur')
    Object.defineProperty(blurred, 'target', { value: new EventTarget() })
    page.dispatchEvent(blurred)
    await afterwards()
    expect(act).not.toHaveBeenCalled()
  })
})
