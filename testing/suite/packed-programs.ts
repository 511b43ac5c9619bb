import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'
import { packedProgram } from '../../server/main/supervisor/processes/packed-program.ts'

const root = resolve(import.meta.dirname, '../..')
/**
 * Variable with the folder of the packed programs. vitest caches transformed modules longer than that folder exists,
 * so they must not contain its path.
 */
const folderVariable = 'PACKED_PROGRAMS'
const started = /new URL\('(?:\.\/|(?:\.\.\/)+(?:server\/)?main\/)(?<name>[\w-]+)\.ts', import\.meta\.url\)/g

/**
 * Makes tests start the packed form of the programs that a process of the service starts, as the service does: an
 * archive reader loads one file instead of several hundred, and a build starts five. So do the test's own host agents.
 * Each test run packs them again, so that another run's changes do not affect it.
 */
export function packedPrograms(): Plugin {
  // A reader with another user id loads it too: TMPDIR may be a folder of root alone.
  const folder = mkdtempSync('/var/tmp/sandbox-test-packed-')
  chmodSync(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const packed = packedProgram({ root, node: process.execPath }, folder)
  return {
    name: 'packed-programs',
    enforce: 'pre',
    config: () => ({ test: { env: { [folderVariable]: `${pathToFileURL(packed).href}/` } } }),
    transform: {
      filter: {
        id: /^(?!.*\/node_modules\/).*\/(agent|reader|server|testing)\/.*(?<!\.test)\.ts$/,
        code: 'new URL(',
      },
      handler: (code) => code.replaceAll(started, `new URL('$<name>.mjs', process.env.${folderVariable})`),
    },
  }
}
