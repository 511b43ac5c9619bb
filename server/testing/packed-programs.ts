import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'
import { packedProgram } from '../main/supervisor/packed-program.ts'

const root = resolve(import.meta.dirname, '../..')
const started = /new URL\('\.\/(?<name>[\w-]+)\.ts', import\.meta\.url\)/g

/**
 * Has tests start the packed form of the programs that a process of the service starts, as the service does: an archive
 * reader loads one file instead of some hundred, and a build starts five. Packed once for each content of the checkout,
 * beside its packages.
 */
export function packedPrograms(): Plugin {
  const cache = join(root, 'node_modules/.cache/packed')
  mkdirSync(cache, { recursive: true })
  const packed = pathToFileURL(packedProgram({ root, node: process.execPath }, cache)).href
  return {
    name: 'packed-programs',
    enforce: 'pre',
    transform: {
      filter: { id: /^(?!.*\/node_modules\/).*\/server\/.*(?<!\.test)\.ts$/, code: 'new URL(' },
      handler: (code) => code.replaceAll(started, `new URL('${packed}/$<name>.mjs')`),
    },
  }
}
