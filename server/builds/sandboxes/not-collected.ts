import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import { BuildFailed } from '../request/build-failed.ts'

/** The failure of a build if its host did not keep every file that the sandbox left; undefined if it did. */
export function notCollected({ files }: Pick<SandboxExit, 'files'>): BuildFailed | undefined {
  const statuses = Object.values(files).map(({ status }) => status)
  if (statuses.includes('late')) return new BuildFailed('platform_failed', 'collection_timeout')
  if (statuses.includes('lost')) return new BuildFailed('platform_failed', 'disk_space_low')
  return undefined
}
