const blockBytes = 512

/** One regular file as an entry of a POSIX tar. */
export function tarFile(name: string, content: Buffer, mode = 0o644): Buffer {
  const header = Buffer.alloc(blockBytes)
  header.write(name)
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        0', 148)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, 148)
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)
  return Buffer.concat([header, content, padding])
}

export const tarEnd = Buffer.alloc(2 * blockBytes)
