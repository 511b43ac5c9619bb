import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { eachLine } from './each-line.ts'

test('an output that breaks off ends after its last line, without an error', async () => {
  const output = new PassThrough()
  const lines: string[] = []
  const second = new Promise<void>((resolve) => {
    eachLine(output, (line) => {
      lines.push(line)
      if (lines.length === 2) resolve()
    })
  })
  output.write('one\ntwo\nhalf')
  await second
  output.on('error', () => undefined)
  const closed = once(output, 'close').catch(() => undefined)
  output.destroy(new Error('ECONNRESET'))
  await closed
  expect(lines.slice(0, 2)).toEqual(['one', 'two'])
})
