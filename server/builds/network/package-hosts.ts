import { open } from 'node:fs/promises'
import { allowListProblem } from '../../executor/port/allow-list.ts'

const maxFileBytes = 64 * 1024

/**
 * Reads the operator's list of package hosts: one name per line, `*.example.org` for all names below one, `#` before a
 * comment. Throws for a file that cannot be read or has a line that is no name: a list is used as a whole or not at all.
 */
export async function readPackageHosts(path: string): Promise<string[]> {
  const names = parsePackageHosts(await readBounded(path))
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
