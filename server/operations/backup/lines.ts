import { StringDecoder } from 'node:string_decoder'

/** Lines of a UTF-8 stream, without line ends. Text after the last line end is a line unless it is empty. */
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
