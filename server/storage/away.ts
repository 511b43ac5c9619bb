/** What a file system answers that is broken, full, gone or may not be written. */
const awayCodes = new Set([
  'EACCES',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENODEV',
  'ENOSPC',
  'ENOTDIR',
  'EPERM',
  'EROFS',
  'ESTALE',
])

/** True when the object store did nothing for a reason of its own: the same call may well succeed later. */
export function isStorageAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall !== undefined && awayCodes.has(code ?? '')
}
