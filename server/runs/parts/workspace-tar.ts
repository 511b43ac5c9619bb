const blockBytes = 512

export interface WorkspaceEntry {
  /** Relative, at most 100 ASCII characters. A path that ends in a slash is a folder. */
  path: string
  content: Buffer
  mode: number
}

/** A ustar archive of a few files whose names the platform defines, with one time (`reader/formats/file-time.ts`). */
export function workspaceTar(entries: WorkspaceEntry[], modifiedAt: number): Buffer {
  const parts: Buffer[] = []
  for (const { path, content, mode } of entries) {
    const type = path.endsWith('/') ? '5' : '0'
    parts.push(tarHeader({ path: Buffer.from(path), type, mode, byteSize: content.length, modifiedAt }))
    parts.push(content, tarPadding(content.length))
  }
  parts.push(Buffer.alloc(2 * blockBytes))
  return Buffer.concat(parts)
}

export interface TarHeader {
  /** At most 100 bytes, as is `linkTarget`. */
  path: Buffer
  linkTarget?: Buffer
  type: string
  mode: number
  byteSize: number
  modifiedAt: number
}

/** One header block with owner 0. */
export function tarHeader(header: TarHeader): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, offset: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, offset, 'ascii')
  header.path.copy(block, 0)
  octal(header.mode, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(header.byteSize, 124, 11)
  octal(header.modifiedAt, 136, 11)
  // The checksum counts its own field as spaces.
  block.write('        ', 148, 'ascii')
  block.write(header.type, 156, 'ascii')
  header.linkTarget?.copy(block, 157)
  block.write('ustar\x0000', 257, 'latin1')
  let sum = 0
  for (const byte of block) sum += byte
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii')
  return block
}

/** Zeros up to the next block. */
export const tarPadding = (byteSize: number): Buffer =>
  Buffer.alloc((blockBytes - (byteSize % blockBytes)) % blockBytes)
