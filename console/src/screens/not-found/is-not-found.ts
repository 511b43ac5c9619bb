import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'

/** The thing does not exist, or the person may not see it. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404
