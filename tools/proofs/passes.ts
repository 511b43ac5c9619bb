import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** When each proof last passed on this machine, at which commit. */
export type Passes = Record<string, { commit: string; at: string } | undefined>

/** For all clones on this machine. */
const folder = '/var/lib/sandbox-jobs-test'
const file = join(folder, 'proofs.json')

export function readPasses(): Passes {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Passes
  } catch {
    return {}
  }
}

export function writePasses(passes: Passes): void {
  mkdirSync(folder, { recursive: true })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify(passes, null, 2)}\n`)
  renameSync(fresh, file)
}
