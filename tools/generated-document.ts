import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Origin = Record<'source' | 'command', string>

/**
 * Writes a file of docs/; with `--check` only reports whether the file matches `source`, and which command writes it.
 */
export function writeDocument(name: string, text: string, { source, command }: Origin): void {
  const path = join(import.meta.dirname, '../docs', name)
  if (!process.argv.includes('--check')) {
    writeFileSync(path, text)
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`docs/${name} differs from ${source}: ${command} writes it`)
    process.exitCode = 1
  }
}
