import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes, ServiceProblem } from '../service-problem.ts'

const pathIn = (dataDir: string) => join(dataDir, 'restore-incomplete')

/** After this no service starts on the data folder. */
export const markRestore = (dataDir: string): void =>
  writeFileSync(pathIn(dataDir), 'A restore into this folder has not ended.\n', { mode: 0o600, flush: true })

export const clearRestoreMark = (dataDir: string): void => rmSync(pathIn(dataDir))

/** Refuses a data folder in which a restore was interrupted. */
export function checkRestored(dataDir: string): void {
  if (!existsSync(pathIn(dataDir))) return
  throw new ServiceProblem(
    exitCodes.dataFolder,
    `a restore into ${dataDir} was broken off, or is under way: wait for it, or remove the folder and restore again`,
  )
}
