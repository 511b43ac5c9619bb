import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import { operatorRoutes, operatorUseHeader } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import {
  type OperatorSignIn,
  OperatorSignInRequest,
} from '@sandbox-jobs/contract/operator/operator-sign-in.ts'
import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CodedError } from '../../base/errors/coded-error.ts'
import { PlainError } from '../../base/errors/plain-error.ts'
import type { Log } from '../../base/logging.ts'
import {
  endOperatorSignIn,
  type OperatorServices,
  operatorOf,
  signInByCode,
} from '../../operations/operator-sign-ins/operator-sign-ins.ts'
import { validatorOf } from '../requests/validation.ts'
import { isOfOperatorConsole, operatorCookie, originOfRequest } from './operator-requests.ts'

export interface OperatorConsoleServices extends OperatorServices {
  log: Log
  /** Address of its pages. */
  consoleUrl: string
  readState: () => Promise<Omit<OperatorState, 'sign_in'>>
}

/** Bounds the work of the database. Codes are so long that no number of tries guesses one. */
const tries = { max: 60, everyMs: 60_000 }

/** The routes of the operator console, each for requests of its own pages alone. */
export function mountOperatorRoutes(app: FastifyInstance, services: OperatorConsoleServices): void {
  const { clock, log, consoleUrl } = services
  const wrongAddress = () => new CodedError('console_wrong_address', { console_url: consoleUrl })
  const checkSignIn = validatorOf('body', OperatorSignInRequest)
  let window = { from: 0, tried: 0 }

  const countTry = () => {
    const now = clock.now().getTime()
    // A clock that was set back would keep the window open for as long.
    if (now >= window.from + tries.everyMs || now < window.from) window = { from: now, tried: 0 }
    window.tried += 1
    const waitMs = window.from + tries.everyMs - now
    if (window.tried > tries.max)
      throw new CodedError('login_rate_limited', { retry_after_seconds: Math.ceil(waitMs / 1000) })
  }

  /** Throws 418 without a sign-in that has not ended. */
  const operator = async ({ headers }: FastifyRequest): Promise<OperatorSignIn> => {
    const token = operatorCookie.tokenOf(headers)
    const isUse = headers[operatorUseHeader] === '1'
    const signIn = token === undefined ? undefined : await operatorOf(services, token, isUse)
    if (!signIn) throw signedOut()
    return signIn
  }

  // A page that made its own name resolve to this machine gets no byte, not even of the shell.
  app.addHook('onRequest', async ({ headers }) => {
    if (originOfRequest(headers) === undefined) throw wrongAddress()
  })

  const onRequest = async (request: FastifyRequest) => {
    if (!isOfOperatorConsole(request)) throw wrongAddress()
  }

  app.route({
    method: operatorRoutes.signIn.method,
    url: operatorRoutes.signIn.path,
    bodyLimit: 1024,
    onRequest,
    handler: async ({ body, id }, reply) => {
      countTry()
      checkSignIn(body ?? {})
      const made = await signInByCode(services, (body as OperatorSignInRequest).code)
      if (!made) throw signedOut()
      log.info({ request: id, account: made.signIn.account }, 'an operator has signed in')
      reply.header('set-cookie', operatorCookie.signIn(made.token))
      return made.signIn
    },
  })

  app.route({
    method: operatorRoutes.signOut.method,
    url: operatorRoutes.signOut.path,
    bodyLimit: 1024,
    onRequest,
    handler: async ({ headers }, reply) => {
      const token = operatorCookie.tokenOf(headers)
      if (token !== undefined) await endOperatorSignIn(services, token)
      reply.header('set-cookie', operatorCookie.signOut)
      return {}
    },
  })

  app.route({
    method: operatorRoutes.readState.method,
    url: operatorRoutes.readState.path,
    onRequest,
    handler: async (request): Promise<OperatorState> => {
      const sign_in = await operator(request)
      return { ...(await services.readState()), sign_in }
    },
  })
}

function signedOut(): PlainError {
  const { status, detail } = uncoded.no_credentials
  return new PlainError(status, detail)
}
