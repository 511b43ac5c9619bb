import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from './errors/has-code.ts'
import { keepFirst } from './keys/key-files.ts'

/** The identity of a machine towards its database. */
export interface Machine {
  /** Random, 32 hex digits, created once. */
  id: string
  /**
   * Identity of the id file: a copy of the folder has another, a renamed folder and a restarted
   * machine have the same.
   */
  folder: string
}

const idPattern = /^[0-9a-f]{32}$/

/**
 * The machine of the host agent that stores its records in `folder`; created if there is none, and on disk before it
 * is returned. The id file is stored with the start records, so both are lost together: a machine with a new id can
 * prove nothing about runs of the old one.
 */
export function openMachine(folder: string): Machine {
  const path = join(folder, 'machine-id')
  const id = readId(path) ?? makeId(path)
  if (!idPattern.test(id)) throw new MachineIdDamaged(path)
  const { ino, birthtimeNs } = statSync(path, { bigint: true })
  return { id, folder: `${ino}-${birthtimeNs}` }
}

/** Changes with each boot of the kernel. */
export const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

export class MachineIdDamaged extends Error {
  constructor(path: string) {
    super(`${path} must hold 32 hex digits: remove it, and runs that were at work end as host_lost`)
    this.name = 'MachineIdDamaged'
  }
}

function readId(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** If two processes create it at once, both return the same id. */
const makeId = (path: string): string => keepFirst(path, `${randomBytes(16).toString('hex')}\n`).trim()
