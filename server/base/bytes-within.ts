/** The bytes of a body; undefined if it has more than `maxBytes`, and then the rest is not read and its connection is closed. */
export async function bytesWithin(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body) {
    length += part.length
    if (length > maxBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
