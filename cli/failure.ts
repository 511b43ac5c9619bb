import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'

const problemsShown = 20

/** Work that failed, a command line that makes no sense, and a run that ended without an exit code of its own. */
export const exitCodes = { failed: 1, usage: 2, timeout: 124, notTheJob: 125 } as const

/** What went wrong and what to do about it; every error that a command shows has both. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: string
  readonly hint: string
  readonly exitCode: number
  /** What exactly is wrong, in the words of others: escaped where it is shown. */
  readonly problems: string[] | undefined

  constructor(
    message: string,
    rest: { hint: string; code?: string; exitCode?: number; problems?: string[] },
  ) {
    super(message)
    this.hint = rest.hint
    this.code = rest.code ?? 'cli'
    this.problems = rest.problems
    this.exitCode = rest.exitCode ?? exitCodes.failed
  }
}

export interface Failure {
  code: string
  message: string
  /** What exactly is wrong, where the service lists it. */
  problems?: string[]
  hint: string
  status?: number
  exitCode: number
}

/** Says any error in the terms of the person at the terminal. `url` is where the service was looked for. */
export function describeFailure(error: unknown, url: string): Failure {
  if (error instanceof CliError) {
    const { code, message, hint, problems, exitCode } = error
    return { code, message, hint, ...(problems && { problems }), exitCode }
  }
  if (error instanceof ApiError) return describeRefusal(error)
  if (error instanceof TypeError && error.message === 'fetch failed') return describeUnreachable(error, url)
  return {
    code: 'unexpected',
    message: error instanceof Error ? error.message : String(error),
    hint: 'This is not expected: please report it with the command and this message.',
    exitCode: exitCodes.failed,
  }
}

function describeRefusal(error: ApiError): Failure {
  const failure = { message: error.message, status: error.status, exitCode: exitCodes.failed }
  if (error.status === 403 && error.message.startsWith('This API key')) {
    const hint =
      'A restricted key runs tasks in its own rooms, and from its own origins: use a full key, or log in.'
    return { ...failure, code: 'http_403', hint }
  }
  if (error.code !== null) {
    const advice = Object.hasOwn(catalogue, error.code) ? catalogue[error.code as ErrorCode].advice : ''
    const problems = problemsOf(error.detail)
    const todo = waitHint(error) ?? (advice || statusHint(error.status))
    const hint = problems.length > 0 ? 'Correct what is listed above.' : todo
    return { ...failure, ...(problems.length > 0 ? { problems } : {}), code: error.code, hint }
  }
  return { ...failure, code: `http_${error.status}`, hint: statusHint(error.status) }
}

/** How long to wait, where the service says it. */
function waitHint({ retryAfterSeconds: seconds }: ApiError): string | undefined {
  return seconds === null ? undefined : `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
}

/** The single problems of a refusal that has a list of them. */
function problemsOf(detail: unknown): string[] {
  if (typeof detail !== 'object' || detail === null || !('errors' in detail)) return []
  if (!Array.isArray(detail.errors)) return []
  return detail.errors.slice(0, problemsShown).map(problemText)
}

/** The sentence of a problem that the contract's errors list; anything else as it came. */
function problemText(problem: unknown): string {
  if (typeof problem === 'string') return problem
  const named = typeof problem === 'object' && problem !== null && 'loc' in problem && 'msg' in problem
  if (!named || !Array.isArray(problem.loc)) return JSON.stringify(problem)
  return String(problem.msg)
}

function statusHint(status: number): string {
  if (status === 418) return 'Log in with sandbox login, or set SANDBOX_TOKEN or SANDBOX_API_KEY.'
  if (status === 403) return 'Ask an administrator of the company; sandbox whoami shows what you may do.'
  if (status === 404) return 'It does not exist or is not yours. Check the name, and --url.'
  if (status === 405) return 'This API key may not do that, or the service at --url is another program.'
  if (status === 422) return 'Correct the values named above.'
  if (status === 429) return 'Wait a moment and try again.'
  return 'Try again; if it stays, ask the operator to look into the log of the service.'
}

function describeUnreachable(error: TypeError, url: string): Failure {
  const cause = error.cause instanceof Error ? error.cause : undefined
  const reason = cause && 'code' in cause ? String(cause.code) : (cause?.message ?? 'no connection')
  return {
    code: 'service_unreachable',
    message: `No service answers at ${url} (${reason}).`,
    hint: 'Start it with sandbox up, or name another address with --url or SANDBOX_URL.',
    exitCode: exitCodes.failed,
  }
}
