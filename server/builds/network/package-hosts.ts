import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { allowListProblem } from '../../../agent/port/allow-list.ts'

const maxFileBytes = 64 * 1024

/** The list in the data folder, for a deployment without SANDBOX_PACKAGE_HOSTS_FILE. */
export const ownPackageHosts = (dataDir: string): string => join(dataDir, 'package-hosts')

/**
 * Reads the operator's list of package hosts: one name per line, `*.example.org` for all names below one, `#` before a
 * comment. An `optional` file that is absent has no names. Throws for a file that cannot be read or has a line that is no name: a list is used as a whole or not at all.
 */
export async function readPackageHosts(path: string, { optional = false } = {}): Promise<string[]> {
  const text = await readBounded(path).catch((error: NodeJS.ErrnoException) => {
    if (optional && error.code === 'ENOENT') return ''
    throw error
  })
  const names = parsePackageHosts(text)
  const found = allowListProblem({ names, ranges: [] })
  if (found) throw new Error(`${path}: ${found.problem} at name ${found.at + 1}`)
  return names
}

const parsePackageHosts = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.replace(/#.*$/, '').trim().toLowerCase())
      .filter((name) => name !== ''),
  ),
]

async function readBounded(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxFileBytes + 1), 0, maxFileBytes + 1, 0)
    if (bytesRead > maxFileBytes) throw new Error(`${path} is larger than ${maxFileBytes} bytes`)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
