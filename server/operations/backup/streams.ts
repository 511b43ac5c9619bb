import { createHash } from 'node:crypto'
import { Transform, type TransformCallback, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Passes data through and computes its sha256 and length. */
export class DigestedStream extends Transform {
  readonly #hash = createHash('sha256')
  #sha256: string | undefined
  byteSize = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    this.byteSize += chunk.length
    done(null, chunk)
  }

  /** 64 hex digits. Read it only after the stream has ended. */
  get sha256(): string {
    this.#sha256 ??= this.#hash.digest('hex')
    return this.#sha256
  }
}

/** Takes everything. */
export const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Lines of a UTF-8 stream, without line ends. Text after the last line end is a line unless it is empty. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, end = '\n'): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of chunks) {
    const parts = (rest + decoder.write(chunk)).split(end)
    rest = parts.pop() ?? ''
    yield* parts
  }
  rest += decoder.end()
  if (rest !== '') yield rest
}
