/** The values of `source` in arrays of `size`; the last may be shorter. */
export async function* inBatches<Value>(source: AsyncIterable<Value>, size: number): AsyncGenerator<Value[]> {
  let part: Value[] = []
  for await (const value of source) {
    part.push(value)
    if (part.length < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}
