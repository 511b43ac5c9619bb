import type { OpenedObject } from './port.ts'

const pieceBytes = 256 * 1024

/** The bytes of an object in one buffer, which is allocated once somebody reads. A piece is valid until the next one is asked for. */
export async function* sharedPieces(
  object: OpenedObject,
  start: number,
  end: number,
): AsyncGenerator<Buffer, void> {
  yield* object.read(start, end, Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - start)))
}
