import { statSync } from 'node:fs'

/** Root must not write keys itself: the service could not read root's files, and could redirect root through links. */
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
