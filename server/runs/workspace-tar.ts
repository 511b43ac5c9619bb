const blockBytes = 512

export interface WorkspaceEntry {
  /** Relative, at most 100 ASCII characters; one that ends in a slash is a folder. */
  path: string
  content: Buffer
  mode: number
}

/** A ustar archive of a few files whose names are the platform's own. */
export function workspaceTar(entries: WorkspaceEntry[]): Buffer {
  const parts: Buffer[] = []
  for (const entry of entries) {
    parts.push(header(entry), entry.content)
    parts.push(Buffer.alloc((blockBytes - (entry.content.length % blockBytes)) % blockBytes))
  }
  parts.push(Buffer.alloc(2 * blockBytes))
  return Buffer.concat(parts)
}

function header(entry: WorkspaceEntry): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, offset: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, offset, 'ascii')
  block.write(entry.path, 0, 100, 'ascii')
  octal(entry.mode, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(entry.content.length, 124, 11)
  octal(0, 136, 11)
  // The checksum counts its own field as spaces.
  block.write('        ', 148, 'ascii')
  block.write(entry.path.endsWith('/') ? '5' : '0', 156, 'ascii')
  block.write('ustar\x0000', 257, 'latin1')
  let sum = 0
  for (const byte of block) sum += byte
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii')
  return block
}
