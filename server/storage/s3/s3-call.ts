import { StorageUnavailable } from '../unavailable.ts'

/** Of a call with its retries and the bytes of its answer, which are 8 MiB at most. */
const callMs = 30_000
/** Of a call for which the store copies or joins what it has. */
export const copyMs = 10 * 60_000

/** Makes a call to the store within `ms`. Every failure of it is one of the store. */
export async function call<T>(
  doing: string,
  work: (abortSignal: AbortSignal) => Promise<T>,
  ms = callMs,
): Promise<T> {
  try {
    return await work(AbortSignal.timeout(ms))
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error
    throw new StorageUnavailable(doing, reasonOf(error), { cause: error })
  }
}

/** The code and words of the store or of the connection; the service's own keys may be in them, nothing of a tenant. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { name, message } = error
  const status = statusOf(error)
  const words = message === '' || message === 'UnknownError' ? '' : `: ${message}`
  return `${status === undefined ? '' : `${status} `}${name}${words}`
}

const statusOf = (error: Error): number | undefined =>
  '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }).httpStatusCode : undefined

/** A file of the settings cannot be read. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && error.syscall === 'open'

/** The store refused: a name, a credential or a right is wrong, and the same request will fail again. */
export function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error && error.cause
  if (!(cause instanceof Error)) return false
  if (cause.name === 'CredentialsProviderError' || isUnreadable(cause)) return true
  const status = statusOf(cause) ?? 500
  return status < 500 && status !== 408 && status !== 429
}

const isNamed = (error: unknown, name: string): boolean =>
  error instanceof Error && (error.name === name || isNamed(error.cause, name))

/** There is no object of that key; a missing bucket is a failure. */
export const isNoSuchKey = (error: unknown): boolean => isNamed(error, 'NoSuchKey')
export const isNoSuchUpload = (error: unknown): boolean => isNamed(error, 'NoSuchUpload')
/** The answer to HEAD has no body, so it does not say whether the key or the bucket is missing. */
export const isNotFound = (error: unknown): boolean => isNamed(error, 'NotFound')
/** A range of an object that is empty. */
export const isInvalidRange = (error: unknown): boolean => isNamed(error, 'InvalidRange')
