const longestCharacter = 4

/** How many of the bytes are left without the beginning of a UTF-8 character at their end. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back < longestCharacter && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : byte >= 0x80 ? 0 : 1
    if (size > 0) return size > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
