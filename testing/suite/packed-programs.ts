import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'
import { onlyFolder } from '../../server/main/supervisor/host/only-folder.ts'
import { packedProgram } from '../../server/main/supervisor/processes/packed-program.ts'
import { programDigest } from '../../server/main/supervisor/processes/program-copy.ts'

const root = resolve(import.meta.dirname, '../..')
const packCommand = resolve(import.meta.dirname, 'pack-command.ts')
/**
 * Variable with the folder of the packed programs. vitest caches transformed modules longer than that folder exists,
 * so they must not contain its path.
 */
const folderVariable = 'PACKED_PROGRAMS'
/** Variable with the folder of Node's compile cache for them. It knows a program by its path, which is new in each test run. */
const compiledVariable = 'COMPILED_PROGRAMS'
/** Variable with a program that is `sandbox` with the commands for the service's own machine. */
const commandVariable = 'PACKED_COMMAND'
/** Root's own, for the programs of each checkout: packing takes longer than a short test file. */
const keptPrograms = '/var/lib/sandbox-jobs-test/packed'
const started = /new URL\('(?:\.\/|(?:\.\.\/)+(?:server\/)?main\/)(?<name>[\w-]+)\.ts', import\.meta\.url\)/g

/**
 * Makes tests start the packed form of the programs that a process of the service starts, as the service does: an
 * archive reader loads one file instead of several hundred, and a build starts five. So do the test's own host agents.
 * Each test run has a copy, so that another run's changes do not affect it.
 */
export function packedPrograms(): Plugin {
  const kept = join(keptPrograms, createHash('sha256').update(root).digest('hex').slice(0, 16))
  mkdirSync(kept, { recursive: true })
  const made = packedProgram({ root, node: process.execPath }, kept)
  // A reader with another user id loads it too: TMPDIR may be a folder of root alone.
  const folder = mkdtempSync('/var/tmp/sandbox-test-packed-')
  chmodSync(folder, 0o755)
  // A program that a test has left may write to the compile cache meanwhile.
  process.once('exit', () => rmSync(folder, { recursive: true, maxRetries: 10 }))
  const packed = join(folder, basename(made))
  cpSync(made, packed, { recursive: true })
  const compiled = join(folder, 'compiled')
  // For the processes of tests, and for what starts services before them.
  process.env[folderVariable] = `${pathToFileURL(packed).href}/`
  process.env[compiledVariable] = compiled
  process.env[commandVariable] = commandIn(folder, `${kept}-command`, compiled)
  return {
    name: 'packed-programs',
    enforce: 'pre',
    transform: {
      filter: {
        id: /^(?!.*\/node_modules\/).*\/(agent|kubernetes|reader|server|testing)\/.*(?<!\.test)\.ts$/,
        code: 'new URL(',
      },
      handler: (code) => code.replaceAll(started, `new URL('$<name>.mjs', process.env.${folderVariable})`),
    },
  }
}

/** Makes the program `sandbox` in the folder, which starts a copy of the packed command. */
function commandIn(folder: string, kept: string, compiled: string): string {
  mkdirSync(kept, { recursive: true })
  const made = onlyFolder(kept, programDigest(root, root), (fresh) =>
    execFileSync(process.execPath, [packCommand, root, fresh], { stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  const copy = join(folder, 'command')
  cpSync(made, copy, { recursive: true })
  const program = join(folder, 'sandbox')
  const line = `NODE_COMPILE_CACHE=${compiled} exec ${process.execPath} ${copy}/main.mjs "$@"`
  writeFileSync(program, `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  return program
}
