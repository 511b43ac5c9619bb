import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { canonicalEntry, storedFile } from './canonical-tar.ts'

test('a stored file is opened only when it is written, and closed when the reader stops', async () => {
  const opened: Readable[] = []
  const open = async () => {
    const file = Readable.from([Buffer.alloc(5), Buffer.alloc(5)])
    opened.push(file)
    return file
  }
  const notCome = canonicalEntry(storedFile('a', 10, open))
  await notCome.next()
  await notCome.return()
  expect(opened).toEqual([])

  const entry = canonicalEntry(storedFile('a', 10, open))
  await entry.next()
  await entry.next()
  await entry.return()
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true])
})
