import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import { Identifier } from '@sandbox-jobs/contract/ids.ts'
import { operatorUseHeader } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { OperatorSignIn } from '@sandbox-jobs/contract/operator/operator-sign-in.ts'
import { Strict } from '@sandbox-jobs/contract/schema.ts'
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { PlainError } from '../../base/errors/plain-error.ts'
import { type Act, doAct } from '../../operations/acts/act.ts'
import { type OperatorServices, operatorOf } from '../../operations/operator-sign-ins/operator-sign-ins.ts'
import { fastifyPath } from '../mount.ts'
import { validatorOf } from '../requests/validation.ts'
import { isOfOperatorConsole, operatorCookie } from './operator-requests.ts'

interface OperatorRoute {
  method: HTTPMethods
  path: string
}

/** Of the things that the path names; empty: it names none. */
interface Params {
  id: string
  /** Of a key of that company. */
  key: string
}

/** Mounts routes of operators who are signed in, each for requests of pages of their console alone. */
export interface OperatorMount<Services> {
  /** A route that shows something. */
  show: <Query extends TSchema = never>(
    route: OperatorRoute,
    shown: (asked: { params: Params; query: Static<Query>; signIn: OperatorSignIn }) => Promise<unknown>,
    query?: Query,
  ) => void
  /**
   * A route that does an act. Its body has the reason, and a sign-in that is read-only gets 403. An act that returns undefined found no
   * such thing.
   */
  act: <Body extends TSchema>(
    route: OperatorRoute,
    body: Body,
    actOf: (asked: { params: Params; body: Static<Body> }) => Act<Services, unknown>,
  ) => void
}

const actMaxBytes = 16 * 1024
const checkParams = validatorOf(
  'path',
  Strict({ id: Type.Optional(Identifier), key: Type.Optional(Identifier) }),
)

/** Answers 418 without a sign-in that has not ended. */
export function operatorMounter<Services extends OperatorServices & { consoleUrl: string }>(
  app: FastifyInstance,
  services: Services,
): OperatorMount<Services> {
  const onRequest = ownPagesAlone(services)

  const operator = async ({ headers }: FastifyRequest): Promise<OperatorSignIn> => {
    const token = operatorCookie.tokenOf(headers)
    const isUse = headers[operatorUseHeader] === '1'
    const signIn = token === undefined ? undefined : await operatorOf(services, token, isUse)
    if (!signIn) throw signedOut()
    return signIn
  }

  const paramsOf = ({ params }: FastifyRequest): Params => {
    checkParams(params)
    return { id: '', key: '', ...(params as Partial<Params>) }
  }

  return {
    show: ({ method, path }, shown, query) => {
      const check = query && validatorOf('query', query)
      app.route({
        method,
        url: fastifyPath(path),
        onRequest,
        handler: async (request) => {
          const signIn = await operator(request)
          check?.(request.query)
          return shown({ params: paramsOf(request), query: request.query as never, signIn })
        },
      })
    },
    act: ({ method, path }, body, actOf) => {
      const check = validatorOf('body', body)
      app.route({
        method,
        url: fastifyPath(path),
        bodyLimit: actMaxBytes,
        onRequest,
        handler: async (request) => {
          const { account, access } = await operator(request)
          if (access !== 'full') throw new CodedError('operator_read_only')
          const params = paramsOf(request)
          const asked = request.body ?? {}
          check(asked)
          const { reason } = asked as { reason: string }
          const act = actOf({ params, body: asked as never })
          const done = await doAct(services, act, { account, reason, request: request.id })
          if (done === undefined) throw notFound()
          return {}
        },
      })
    },
  }
}

/** Before the body is read: refuses requests of anything but a page of the console. */
export const ownPagesAlone =
  ({ consoleUrl }: { consoleUrl: string }) =>
  async (request: FastifyRequest): Promise<void> => {
    if (!isOfOperatorConsole(request)) throw wrongAddress(consoleUrl)
  }

export const wrongAddress = (consoleUrl: string): CodedError =>
  new CodedError('console_wrong_address', { console_url: consoleUrl })

export function signedOut(): PlainError {
  const { status, detail } = uncoded.no_credentials
  return new PlainError(status, detail)
}
