import { StringDecoder } from 'node:string_decoder'

/** Lines of a stream of UTF-8, without their ends; what follows the last end is a line if it is not empty. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of chunks) {
    const parts = (rest + decoder.write(chunk)).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  rest += decoder.end()
  if (rest !== '') yield rest
}
