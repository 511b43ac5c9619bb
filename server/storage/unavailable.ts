/** Error codes of a file system that is broken, full, missing or not writable. */
const unavailableCodes = new Set([
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

/** True when the object storage failed for a reason of its own: the same call may succeed later. */
export function isStorageUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall !== undefined && unavailableCodes.has(code ?? '')
}
