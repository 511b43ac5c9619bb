import { agentPaths } from '../../../agent/host/paths.ts'
import { ExecutorRefused } from '../../../agent/port/errors.ts'
import { ConfigInvalid, readConfig } from '../../base/config/config.ts'
import { BaseImageRefused } from '../../operations/host/base-images.ts'
import { CommandFailed } from '../../operations/host/run-command.ts'
import { ToolchainRefused } from '../../operations/host/toolchain.ts'

/** Why the operator's request failed, and which kind of mistake caused it. */
export interface OperatorProblem {
  ok: false
  cause: 'not_root' | 'settings' | 'request' | 'tool'
  message: string
}

export type Outcome<T> = Promise<{ ok: true; value: T } | OperatorProblem>

/** The operator's request is invalid. */
export class RequestRefused extends Error {
  override name = 'RequestRefused'
}

/** The folders that an operator's work changes. */
export interface MachineFolders {
  dataDir: string
  agent: ReturnType<typeof agentPaths>
}

/** Runs work that needs root on the service's machine. */
export async function asRoot<T>(work: (folders: MachineFolders) => Promise<T>): Outcome<T> {
  if (process.getuid?.() !== 0) {
    return { ok: false, cause: 'not_root', message: 'What the operator makes here belongs to root.' }
  }
  try {
    const { dataDir } = readConfig()
    return { ok: true, value: await work({ dataDir, agent: agentPaths(dataDir) }) }
  } catch (error) {
    if (error instanceof ConfigInvalid) return { ok: false, cause: 'settings', message: error.message }
    if (error instanceof BaseImageRefused || error instanceof RequestRefused)
      return { ok: false, cause: 'request', message: error.message }
    if (
      error instanceof CommandFailed ||
      error instanceof ToolchainRefused ||
      error instanceof ExecutorRefused
    )
      return { ok: false, cause: 'tool', message: error.message }
    throw error
  }
}
