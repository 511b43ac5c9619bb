import { execFile } from 'node:child_process'
import { open, rename } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ExecutorRefused } from '../../port/errors.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'

const run = promisify(execFile)

/** Makes a sparse file with an ext4 file system whose root folder belongs to the sandbox. It is removed with the sandbox. */
export async function makeDisk(path: string, spec: SandboxSpec, idBase: number): Promise<void> {
  const file = await open(`${path}.new`, 'wx', 0o600)
  await file.truncate(spec.limits.workspaceBytes)
  await file.close()
  const features = ['-O', '^has_journal', '-m', '0', '-N', String(spec.limits.workspaceInodes)]
  const quick = `root_owner=${idBase}:${idBase},lazy_itable_init=1,nodiscard`
  try {
    await run('mkfs.ext4', ['-q', '-F', ...features, '-E', quick, `${path}.new`])
  } catch (error) {
    throw new ExecutorRefused('workspace_disk', `a disk for the sandbox cannot be made: ${String(error)}`)
  }
  await rename(`${path}.new`, path)
}
