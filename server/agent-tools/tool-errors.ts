import { type AgentToolErrorCode, agentToolErrors } from '@sandbox-jobs/contract/errors/agent-tool-errors.ts'
import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { AgentError } from '../agents/agent-error.ts'
import { CodedError } from '../base/errors/coded-error.ts'
import { PlainError } from '../base/errors/plain-error.ts'
import { ValidationError } from '../base/errors/validation-error.ts'
import { isDatabaseUnavailable } from '../db/database.ts'
import { isStorageUnavailable } from '../storage/unavailable.ts'
import type { ToolResult } from './tool.ts'

/**
 * The error result of a failed call (contract part 2, "Agent tool error codes"). Messages are the service's own words: they
 * name a rule or a field, never a value of a tenant.
 */
export function errorResult(error: unknown): ToolResult {
  const [code, reason] = codeOf(error)
  const message = reason === undefined ? agentToolErrors[code] : `${agentToolErrors[code]} ${reason}`
  return { status: 'error', error: code, message: error instanceof AgentError ? error.message : message }
}

/** True for what only a fault of the service causes, which is worth a line in its log. */
export const isFault = (error: unknown): boolean => codeOf(error)[0] === 'internal_error'

function codeOf(error: unknown): [code: AgentToolErrorCode, reason?: string | undefined] {
  if (error instanceof AgentError) return [error.code]
  if (error instanceof ValidationError)
    return ['validation_error', error.problems.map(({ msg }) => msg).join('; ')]
  if (error instanceof CodedError) {
    const code = codeOfStatus(catalogue[error.code].status)
    return code === 'internal_error' ? [code] : [code, reasonOf(error)]
  }
  if (error instanceof PlainError) return [codeOfStatus(error.status)]
  const isUnavailable = isDatabaseUnavailable(error) || isStorageUnavailable(error)
  return [isUnavailable ? 'provider_unavailable' : 'internal_error']
}

/** Things that do not exist and things that are hidden get the same message. */
function codeOfStatus(status: number): AgentToolErrorCode {
  if (status === 500) return 'internal_error'
  if ([401, 403, 404, 418].includes(status)) return 'unauthorized'
  return [400, 409, 413, 422].includes(status) ? 'validation_error' : 'provider_unavailable'
}

const reasonsMax = 5

/** The code and words of the catalogue; of a schema violation also where the input is wrong, without its values. */
function reasonOf({ code, detail }: CodedError): string | undefined {
  if (code === 'not_found') return undefined
  const { message, advice } = catalogue[code]
  const errors = Array.isArray(detail.errors) ? (detail.errors as { msg?: unknown }[]) : []
  const reasons = errors.flatMap(({ msg }) => (typeof msg === 'string' ? [msg] : [])).slice(0, reasonsMax)
  return [`${code}: ${message} ${advice}`, ...reasons].join(' ')
}
