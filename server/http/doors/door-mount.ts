import type { DoorKind } from '@sandbox-jobs/contract/resources/doors/door-kind.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify'
import { inRequest } from '../../base/current-request.ts'
import type { OpenDoor } from '../../doors/catalogue/door-keys.ts'
import { actingOf, callerDecorator, keepCaller, refreshCaller, takeTurn } from '../caller.ts'
import { type BodyConfig, type MountOptions, requireSpace } from '../mount.ts'
import { answerOf, forgetBytes } from '../responses/errors.ts'
import { goneSignal } from '../responses/send-download.ts'
import { checkEnabled } from '../scopes.ts'
import { doorKeyOf, keyParameter } from './door-credentials.ts'

/*
 * Routes in the form of other platforms. They are no routes of the contract: their bodies, answers and errors are what the
 * platform's own client reads. As elsewhere, credentials and kill switch are checked before the body is read, and companies
 * share the event loop.
 */

/** One request to a door. */
export interface DoorCall {
  open: OpenDoor
  request: FastifyRequest
  reply: FastifyReply
  /** Fires when the client has gone. */
  signal: AbortSignal
}

export interface DoorRoute {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** Maximum bytes of a JSON body. */
  maxBodyBytes?: number
  /** A body that the route reads itself. */
  bodyKind?: 'multipart'
  /** A body that its sender calls plain text is JSON all the same. */
  readsTextAsJson?: true
  /** It stores new data, so the disk must have space. */
  isWriting?: true
  handle: (call: DoorCall) => Promise<unknown>
}

/** A refusal, for a platform to put into words of its own. */
export interface DoorRefusal {
  status: number
  message: string
  /** Of a coded error. */
  code: string | undefined
  retryAfterSeconds: number | undefined
}

export interface DoorMounting
  extends Pick<MountOptions, 'isEnabled' | 'hasSpace' | 'scheduler' | 'callerMaxAgeMs'> {
  /** The door that a key opens; throws 418. */
  openDoor: (kind: DoorKind, key: string) => Promise<OpenDoor>
}

/** Answers a refusal in the form that the platform's client reads. */
export type Refuse = (reply: FastifyReply, refusal: DoorRefusal) => void

const bodyMaxBytes = 256 * 1024

/** Mounts the routes of a platform at `/doors/{kind}`, and again at `/doors/{kind}/with-key/{key}`. */
export function doorMounter(
  app: FastifyInstance,
  options: DoorMounting,
  { kind, refuse }: { kind: DoorKind; refuse: Refuse },
): (route: DoorRoute) => void {
  return (route) => {
    for (const prefix of [`/doors/${kind}`, `/doors/${kind}/with-key/:${keyParameter}`])
      mountAt(app, options, { kind, refuse, route, url: `${prefix}${route.path}` })
  }
}

interface MountedRoute {
  kind: DoorKind
  refuse: Refuse
  route: DoorRoute
  url: string
}

function mountAt(
  app: FastifyInstance,
  options: DoorMounting,
  { kind, refuse, route, url }: MountedRoute,
): void {
  const { method, maxBodyBytes = bodyMaxBytes, bodyKind, isWriting } = route
  app.route<RouteGenericInterface, BodyConfig>({
    method,
    url,
    bodyLimit: maxBodyBytes,
    config: { nulFields: undefined, bodyKind, parsedApart: false },
    errorHandler: (error, request, reply) => {
      const { status, body, headers } = answerOf(error, request)
      forgetBytes(reply)
      refuse(reply.headers(headers ?? {}), refusalOf(status, body.detail))
    },
    onRequest: async (request, reply) => {
      const read = async () => {
        const open = await options.openDoor(kind, doorKeyOf(request))
        return { principal: open.submitter, prefetched: open }
      }
      keepCaller(request, reply, { ...(await read()), readAgain: read, scheduler: options.scheduler })
      // A request that stores something may be a GET here: a list of packages is printed by a run.
      checkEnabled(options, { method: isWriting ? 'POST' : method, path: url })
      if (route.readsTextAsJson && request.headers['content-type']?.startsWith('text/plain'))
        request.headers['content-type'] = 'application/json'
      if (isWriting) await requireSpace(options)
    },
    handler: async (request, reply) => {
      if (bodyKind === undefined) await takeTurn(request, 0)
      await refreshCaller(request, options.callerMaxAgeMs)
      const { prefetched } = request.getDecorator<{ prefetched: OpenDoor }>(callerDecorator)
      const call = { open: prefetched, request, reply, signal: goneSignal(reply) }
      const acting = actingOf(`door:${kind}`, prefetched.submitter)
      return inRequest(request.id, () => route.handle(call), acting)
    },
  })
}

/** Credentials that open nothing get 401, which clients of other platforms know; 418 is the contract's own. */
const statusOf = (status: number) => (status === 418 ? 401 : status)

function refusalOf(status: number, detail: unknown): DoorRefusal {
  const refusal = { status: statusOf(status), code: undefined, retryAfterSeconds: undefined }
  if (typeof detail === 'string') return { ...refusal, message: detail }
  if (Array.isArray(detail)) return { ...refusal, message: detail.map(wordsOf).join('; ') }
  const { message, code, retry_after_seconds: seconds } = detail as Record<string, unknown>
  return {
    ...refusal,
    message: String(message),
    code: String(code),
    retryAfterSeconds: typeof seconds === 'number' ? seconds : undefined,
  }
}

const wordsOf = ({ loc, msg }: { loc: (string | number)[]; msg: string }): string =>
  `${loc.slice(1).join('.') || loc[0]} ${msg}`
