import { expect, test } from 'vitest'
import { progressBar } from './progress-bar.ts'

const drawn = (isTTY: boolean, steps: number[], total: number): string => {
  let text = ''
  const stream = { isTTY, write: (part: string) => (text += part) }
  const bar = progressBar({ label: 'upload', total, stream })
  for (const step of steps) bar.update(step)
  bar.end()
  return text
}

test('without a terminal a line appears at each quarter, once', () => {
  expect(drawn(false, [10, 26, 30, 80, 100, 100], 100)).toBe(
    'upload 25% of 100 B\nupload 75% of 100 B\nupload 100% of 100 B\n',
  )
})

test('on a terminal one line is redrawn and then ended', () => {
  const text = drawn(true, [512, 512, 1024], 1024)
  expect(text.split('\r')).toHaveLength(3)
  expect(text).toMatch(/\[={30}\] 100% of 1\.0 KiB\n$/)
})

test('an empty upload is complete', () => {
  expect(drawn(false, [0], 0)).toContain('100%')
})
