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

/** A store over the network failed or refused a request. The message is for the log. */
export class StorageUnavailable extends Error {
  constructor(doing: string, reason: string, options?: ErrorOptions) {
    super(`${doing}: ${reason}`, options)
    this.name = 'StorageUnavailable'
  }
}

/** True when the object storage failed for a reason of its own: the same call may succeed later. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall !== undefined && unavailableCodes.has(code ?? '')
}
