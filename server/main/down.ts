import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '../base/clock.ts'
import { ConfigInvalid, readConfig } from '../base/config/config.ts'
import { lockHolder } from './supervisor/host/instance-lock.ts'

const pauseMs = 50
/** Longer than the drain times of all parts together. */
const timeoutMs = 120_000

export type DownOutcome = 'stopped' | 'not_running' | 'not_permitted' | 'timeout'

/** `sandbox down`: asks the service on the configured data folder to drain, and waits until it has stopped. */
export async function down(): Promise<DownOutcome | ConfigInvalid> {
  try {
    const path = join(readConfig().dataDir, 'service.lock')
    // An unreadable lock must not count as a free one.
    await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    const holder = await lockHolder(path)
    if (!holder) return 'not_running'
    process.kill(holder.pid, 'SIGTERM')
    const giveUpAtMs = performance.now() + timeoutMs
    while ((await lockHolder(path))?.pid === holder.pid) {
      if (performance.now() > giveUpAtMs) return 'timeout'
      await sleep(pauseMs)
    }
    return 'stopped'
  } catch (error) {
    if (error instanceof ConfigInvalid) return error
    if (error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EACCES'))
      return 'not_permitted'
    throw error
  }
}
