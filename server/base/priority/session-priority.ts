import { writeFileSync } from 'node:fs'

/** Three times the share of a session of normal priority. */
const raisedNice = '-5'

/**
 * Gives all processes of a session a larger share of the processors, where the kernel divides processors by session first: a
 * company whose jobs use all of them for long delays the service little (`agent/capacity/parent-weight.ts`). Sessions that these
 * processes start have the normal priority again. Does nothing where the kernel does not divide by session, or for a process
 * that is not root.
 *
 * @param pid the leader of the session
 */
export function raiseSessionPriority(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, raisedNice)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && expected.has(error.code as string))) throw error
  }
}

/** No such file or process, not permitted. ESRCH: the process has ended. */
const expected = new Set(['ENOENT', 'ESRCH', 'EPERM', 'EACCES', 'EINVAL'])
