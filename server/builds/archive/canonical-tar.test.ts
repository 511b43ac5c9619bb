import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { canonicalEntry, storedFile } from './canonical-tar.ts'

test('a stored file is opened when its turn comes, and closed by who stops', async () => {
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

  const begun = canonicalEntry(storedFile('a', 10, open))
  await begun.next()
  await begun.next()
  await begun.return()
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true])
})
