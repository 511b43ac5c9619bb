import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import { OperatorSignInRequest } from '@sandbox-jobs/contract/operator/operator-sign-in.ts'
import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import type { Deployment } from '@sandbox-jobs/contract/resources/environments/region.ts'
import type { FastifyInstance } from 'fastify'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Log } from '../../base/logging.ts'
import {
  endOperatorSignIn,
  type OperatorServices,
  signInByCode,
} from '../../operations/operator-sign-ins/operator-sign-ins.ts'
import { validatorOf } from '../requests/validation.ts'
import { mountCompanyRoutes } from './company-routes.ts'
import { mountLogRoutes } from './log-routes.ts'
import { operatorMounter, ownPagesAlone, signedOut, wrongAddress } from './operator-mount.ts'
import { operatorCookie, originOfRequest } from './operator-requests.ts'
import { mountShownRoutes } from './shown-routes.ts'
import { mountSwitchRoutes } from './switch-routes.ts'
import { mountWorkRoutes } from './work-routes.ts'

export interface OperatorConsoleServices extends OperatorServices {
  log: Log
  config: { deployment: Deployment; dataDir: string }
  /** Address of its pages. */
  consoleUrl: string
  readState: () => Promise<Omit<OperatorState, 'sign_in'>>
}

/** Bounds the work of the database. Codes are so long that no number of tries guesses one. */
const tries = { max: 60, everyMs: 60_000 }

/** The routes of the operator console, each for requests of its own pages alone. */
export function mountOperatorRoutes(app: FastifyInstance, services: OperatorConsoleServices): void {
  const { clock, log, consoleUrl } = services
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

  // A page that made its own name resolve to this machine gets no byte, not even of the shell.
  app.addHook('onRequest', async ({ headers }) => {
    if (originOfRequest(headers) === undefined) throw wrongAddress(consoleUrl)
  })

  const onRequest = ownPagesAlone(services)

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

  const mount = operatorMounter(app, services)
  mount.show(
    operatorRoutes.readState,
    async ({ signIn }): Promise<OperatorState> => ({ ...(await services.readState()), sign_in: signIn }),
  )
  mountCompanyRoutes(mount, services)
  mountWorkRoutes(mount, services)
  mountSwitchRoutes(mount)
  mountShownRoutes(mount, services)
  mountLogRoutes(mount, services)
}
