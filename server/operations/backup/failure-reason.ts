import { hasCode } from '../../base/errors/has-code.ts'
import { isDatabaseUnavailable } from '../../db/database.ts'
import { BackupProblem } from './backup-problem.ts'

/** Fields of a log line about a failure: its message alone if that explains it, otherwise the error with its stack. */
export const failureReason = (error: unknown): { error: string } | { err: unknown } =>
  isExplained(error) ? { error: error.message } : { err: error }

const isExplained = (error: unknown): error is Error =>
  error instanceof BackupProblem || hasCode(error, 'ENOSPC') || isDatabaseUnavailable(error)
