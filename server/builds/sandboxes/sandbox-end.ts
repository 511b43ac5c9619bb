import type { ResultPort } from '../../../agent/port/results.ts'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import { BuildFailed } from '../request/build-failed.ts'

const logTailBytes = 4096

/**
 * Whether a sandbox ended because its disk was full. A failing tool may delete the files that filled the disk before it ends;
 * then the end of the log decides. A program may print the same text for another reason; then only its author gets a
 * misleading error.
 */
export async function ranOutOfDisk(
  executor: Pick<ResultPort, 'logSince'>,
  sandboxId: string,
  exit: SandboxExit,
): Promise<boolean> {
  if (exit.workspaceFull || exit.exitCode === 0 || exit.exitCode === null) return exit.workspaceFull
  const position = Math.max(0, exit.log.totalBytes - logTailBytes)
  const { bytes } = await executor.logSince(sandboxId, position)
  return /no space left on device/i.test(bytes.toString('latin1'))
}

/** The failure of a build if its host did not keep every file that the sandbox left; undefined if it did. */
export function notCollected({ files }: Pick<SandboxExit, 'files'>): BuildFailed | undefined {
  const statuses = Object.values(files).map(({ status }) => status)
  if (statuses.includes('late')) return new BuildFailed('platform_failed', 'collection_timeout')
  if (statuses.includes('lost')) return new BuildFailed('platform_failed', 'disk_space_low')
  return undefined
}
