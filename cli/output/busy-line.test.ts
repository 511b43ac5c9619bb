import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { busyLine } from './busy-line.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const written = (isTTY: boolean) => {
  let text = ''
  const stream = { isTTY, columns: 40, write: (part: string) => (text += part) }
  return { line: busyLine({ doing: 'making curated/r:4.5', stream }), text: () => text }
}

test('a pipe gets a line with the last detail now and then', () => {
  const { line, text } = written(false)
  vi.advanceTimersByTime(14_000)
  expect(text()).toBe('')
  line.say('1 of 9 packages')
  vi.advanceTimersByTime(1000)
  line.say('8 of 9 packages')
  vi.advanceTimersByTime(15_000)
  line.end()
  vi.advanceTimersByTime(60_000)
  expect(text()).toBe(
    'making curated/r:4.5: 1 of 9 packages, 15 s so far\nmaking curated/r:4.5: 8 of 9 packages, 30 s so far\n',
  )
})

test('a terminal gets one line, cut to its width, and none at the end', () => {
  const { line, text } = written(true)
  line.say('1 of 9 packages installed')
  vi.advanceTimersByTime(500)
  line.end()
  expect(text()).toBe('\r\u001b[Kmaking curated/r:4.5: 1 of 9 packages i\r\u001b[K')
})
