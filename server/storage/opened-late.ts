import { Readable } from 'node:stream'

/**
 * A stream that is opened when it is first read. A full store refuses an object before it reads anything of it; a stream that was
 * open by then would stay open, and with it its connection and the file at the other end.
 */
export const openedLate = (open: () => Promise<Readable>): Readable =>
  Readable.from(bytesOf(open), { objectMode: false })

async function* bytesOf(open: () => Promise<Readable>): AsyncGenerator<Buffer> {
  yield* await open()
}
