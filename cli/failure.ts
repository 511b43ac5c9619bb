import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'

const problemsShown = 20

/** Failed work, a wrong command line, a timeout, a run that ended without an exit code of its own, and Ctrl-C. */
export const exitCodes = { failed: 1, usage: 2, timeout: 124, serviceFailed: 125, interrupted: 130 } as const

/** An error with a hint on what to do. Every error that a command shows has both. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: string
  readonly hint: string
  readonly exitCode: number
  /** The single problems, as text from other sources; escaped when shown. */
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
  /** The single problems, if the service lists them. */
  problems?: string[]
  hint: string
  status?: number
  exitCode: number
}

/** Describes any error for the person at the terminal. `url` is the address of the service. */
export function describeFailure(error: unknown, url: string): Failure {
  if (error instanceof CliError) {
    const { code, message, hint, problems, exitCode } = error
    return { code, message, hint, ...(problems && { problems }), exitCode }
  }
  if (error instanceof ApiError) return describeRefusal(error)
  if (error instanceof TypeError && error.message === 'fetch failed') return describeUnreachable(error, url)
  if (error instanceof TypeError && error.message === 'terminated') return interrupted
  return {
    code: 'unexpected',
    message: error instanceof Error ? error.message : String(error),
    hint: 'This is unexpected: please report it with the command and this message.',
    exitCode: exitCodes.failed,
  }
}

const interrupted: Failure = {
  code: 'cli_interrupted',
  message: 'The connection to the service broke before its answer was complete.',
  hint: 'Try again.',
  exitCode: exitCodes.failed,
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
    const hint = problems.length > 0 ? 'Correct the problems listed above.' : todo
    return { ...failure, ...(problems.length > 0 ? { problems } : {}), code: error.code, hint }
  }
  return { ...failure, code: `http_${error.status}`, hint: statusHint(error.status) }
}

/** How long to wait, if the service says so. */
function waitHint({ retryAfterSeconds: seconds }: ApiError): string | undefined {
  return seconds === null ? undefined : `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
}

/** The single problems of a refusal. */
function problemsOf(detail: unknown): string[] {
  if (typeof detail !== 'object' || detail === null || !('errors' in detail)) return []
  if (!Array.isArray(detail.errors)) return []
  const problems = detail.errors.slice(0, problemsShown).map(problemText)
  return 'example' in detail ? [...problems, `for example: ${JSON.stringify(detail.example)}`] : problems
}

/** The message of a problem in the contract's format; anything else unchanged. */
function problemText(problem: unknown): string {
  if (typeof problem === 'string') return problem
  const named = typeof problem === 'object' && problem !== null && 'loc' in problem && 'msg' in problem
  if (!named || !Array.isArray(problem.loc)) return JSON.stringify(problem)
  return String(problem.msg)
}

function statusHint(status: number): string {
  if (status === 418) return 'Log in with sandbox login, or set SANDBOX_TOKEN or SANDBOX_API_KEY.'
  if (status === 403) return 'Ask an administrator of the company; sandbox whoami shows your rights.'
  if (status === 404) return 'It does not exist or is not yours. Check the name, and --url.'
  if (status === 405)
    return 'This API key may not do that, or the address in --url is not a Sandbox Jobs service.'
  if (status === 422) return 'Correct the values named above.'
  if (status === 429) return 'Wait a moment and try again.'
  return 'Try again; if the error persists, ask the operator to check the log of the service.'
}

const unknownAuthority = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

/** Problems with the certificate of an address, by the code of Node. */
function certificateProblem(code: string): { problem: string; hint: string } | undefined {
  if (code === 'CERT_HAS_EXPIRED')
    return {
      problem: 'has ended',
      hint: 'Ask the operator to renew it, and check the clock of this machine.',
    }
  if (code === 'CERT_NOT_YET_VALID')
    return { problem: 'is not valid yet', hint: 'Check the clock of this machine.' }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return { problem: 'names another host', hint: 'Check --url, or ask the operator for the right address.' }
  if (unknownAuthority.includes(code)) {
    const hint =
      'If the operator gave you the certificate of its authority, set NODE_EXTRA_CA_CERTS to that file.'
    return { problem: 'is not of an authority that this machine knows', hint }
  }
  return undefined
}

function describeUnreachable(error: TypeError, url: string): Failure {
  const cause = error.cause instanceof Error ? error.cause : undefined
  const reason = cause && 'code' in cause ? String(cause.code) : (cause?.message ?? 'no connection')
  const refused = certificateProblem(reason)
  if (refused) {
    const { problem, hint } = refused
    const message = `The certificate of ${url} ${problem} (${reason}).`
    return { code: 'service_certificate', message, hint, exitCode: exitCodes.failed }
  }
  return {
    code: 'service_unreachable',
    message: `No service answers at ${url} (${reason}).`,
    hint: 'Start it with sandbox up, or name another address with --url or SANDBOX_URL.',
    exitCode: exitCodes.failed,
  }
}
