import type { Executor, SandboxExit } from '../executor/port.ts'

const lastWordsBytes = 4096

/**
 * Whether a sandbox ended for want of disk. A tool that fails takes away what filled the disk before it ends: then what
 * was printed last tells. What works in there may print that for another reason, and its author is then told of too
 * little disk.
 */
export async function ranOutOfDisk(
  executor: Pick<Executor, 'logSince'>,
  sandboxId: string,
  exit: SandboxExit,
): Promise<boolean> {
  if (exit.workspaceFull || exit.exitCode === 0 || exit.exitCode === null) return exit.workspaceFull
  const position = Math.max(0, exit.log.totalBytes - lastWordsBytes)
  const { bytes } = await executor.logSince(sandboxId, position)
  return /no space left on device/i.test(bytes.toString('latin1'))
}
