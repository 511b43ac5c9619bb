import { readFileSync, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LogLevel, logLevels } from '@sandbox-jobs/contract/operator/service-log.ts'
import { hasCode } from './errors/has-code.ts'
import { replaceFile } from './keys/key-files.ts'
import type { Log } from './logging.ts'

/*
 * The level that the processes of the service log at is a file that only root writes, or the caller who started the service. `sandbox
 * up` writes the configured one, the operator another, and each process looks at the file. A signal would end a process that is just
 * starting, and a process that starts later would not know the level.
 */

const everyMs = 500

const pathOf = (dataDir: string): string => join(dataDir, 'run/log-level')

/** Roles with supervisors of their own write it at the same time, and no process reads half of it. */
export const writeLogLevel = (dataDir: string, level: LogLevel): void =>
  replaceFile(pathOf(dataDir), `${level}\n`, 0o644)

/** Undefined if no service has written one. */
export function readLogLevel(dataDir: string): LogLevel | undefined {
  try {
    return parseLevel(readFileSync(pathOf(dataDir), 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Keeps the level of a process's log at the level that is written. */
export function followLogLevel(log: Log, dataDir: string): void {
  const path = pathOf(dataDir)
  const follow = async () => {
    // A file that is absent or cannot be read changes nothing.
    const level = parseLevel(await readFile(path, 'utf8').catch(() => ''))
    if (level === undefined || level === log.level) return
    log.level = level
    log.info({ level }, 'logs at another level')
  }
  watchFile(path, { interval: everyMs, persistent: false }, () => void follow())
  void follow()
}

const parseLevel = (text: string): LogLevel | undefined => logLevels.find((level) => level === text.trim())
