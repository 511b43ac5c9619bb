import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'
import { packedProgram } from '../main/supervisor/packed-program.ts'

const root = resolve(import.meta.dirname, '../..')
/** Variable that has the place. What vitest keeps of transformed modules outlives a place, so it has none in it. */
const place = 'PACKED_PROGRAMS'
const started = /new URL\('\.\/(?<name>[\w-]+)\.ts', import\.meta\.url\)/g

/**
 * Has tests start the packed form of the programs that a process of the service starts, as the service does: an archive
 * reader loads one file instead of some hundred, and a build starts five. Packed for each run of the tests: what
 * another run has changed meanwhile is not this one's.
 */
export function packedPrograms(): Plugin {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-packed-'))
  // A reader of a user of its own loads it too.
  chmodSync(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const packed = packedProgram({ root, node: process.execPath }, folder)
  return {
    name: 'packed-programs',
    enforce: 'pre',
    config: () => ({ test: { env: { [place]: `${pathToFileURL(packed).href}/` } } }),
    transform: {
      filter: { id: /^(?!.*\/node_modules\/).*\/server\/.*(?<!\.test)\.ts$/, code: 'new URL(' },
      handler: (code) => code.replaceAll(started, `new URL('$<name>.mjs', process.env.${place})`),
    },
  }
}
