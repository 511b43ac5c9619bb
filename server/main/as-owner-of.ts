import { statSync } from 'node:fs'

/** Root writes no keys: the service could not read root's files, and could lead root to other places. */
export function asOwnerOf<T>(folder: string, work: () => T): T {
  const { uid, gid } = statSync(folder)
  const { setegid, seteuid } = process
  if (process.getuid?.() !== 0 || !setegid || !seteuid) return work()
  setegid(gid)
  seteuid(uid)
  try {
    return work()
  } finally {
    seteuid(0)
    setegid(0)
  }
}
