const longestCharacter = 4

/** The number of bytes without an incomplete UTF-8 character at the end. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back < longestCharacter && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : byte >= 0x80 ? 0 : 1
    if (size > 0) return size > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
