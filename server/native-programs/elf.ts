const programHeader = { load: 1, dynamic: 2, interpreter: 3, stack: 0x6474e551, relro: 0x6474e552 }
const dynamicEntry = { flags: 30, flags1: 0x6ffffffb }
const executable = 1
const writable = 2

/** Hardening properties of a 64-bit ELF file. */
export function protectionsOf(file: Buffer) {
  const start = Number(file.readBigUInt64LE(32))
  const size = file.readUInt16LE(54)
  const segments = Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = start + index * size
    const offset = Number(file.readBigUInt64LE(at + 8))
    const bytes = Number(file.readBigUInt64LE(at + 32))
    return {
      kind: file.readUInt32LE(at),
      flags: file.readUInt32LE(at + 4),
      content: file.subarray(offset, offset + bytes),
    }
  })
  const having = (kind: number) => segments.filter((segment) => segment.kind === kind)
  const dynamic = having(programHeader.dynamic).flatMap(({ content }) => dynamicOf(content))
  const flag = (tag: number, bit: bigint) =>
    dynamic.some((entry) => entry.tag === tag && (entry.value & bit) !== 0n)
  return {
    isPositionIndependent: file.readUInt16LE(16) === 3,
    isStatic: having(programHeader.interpreter).length === 0,
    hasRelro: having(programHeader.relro).length === 1,
    bindsNow: flag(dynamicEntry.flags, 8n) || flag(dynamicEntry.flags1, 1n),
    hasPlainStack: having(programHeader.stack).every(({ flags }) => (flags & executable) === 0),
    hasWritableCode: having(programHeader.load).some(
      ({ flags }) => (flags & executable) !== 0 && (flags & writable) !== 0,
    ),
  }
}

const dynamicOf = (content: Buffer) =>
  Array.from({ length: content.length / 16 }, (_, index) => ({
    tag: Number(content.readBigUInt64LE(index * 16)),
    value: content.readBigUInt64LE(index * 16 + 8),
  }))
