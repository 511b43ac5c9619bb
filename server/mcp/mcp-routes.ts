import type { IncomingHttpHeaders } from 'node:http'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { Identifier } from '@sandbox-jobs/contract/ids.ts'
import { runSubmitBodyMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { Strict } from '@sandbox-jobs/contract/schema.ts'
import type { FastifyInstance, FastifyRequest, RouteGenericInterface } from 'fastify'
import { roomPath, toolScope } from '../access/oauth/room-resource.ts'
import type { Principal } from '../access/principal.ts'
import type { ToolCaller } from '../agent-tools/tool.ts'
import { inRequest } from '../base/current-request.ts'
import { notFound } from '../base/errors/coded-error.ts'
import { PlainError } from '../base/errors/plain-error.ts'
import { namesAgentTools } from '../companies/chatrooms/chatroom-jobs.ts'
import { actingOf, callerOf, keepCaller, refreshCaller, takeTurn } from '../http/caller.ts'
import type { BodyConfig, MountOptions } from '../http/mount.ts'
import { isValid, validatorOf } from '../http/requests/validation.ts'
import { resourceMetadataUrl } from '../http/routes/oauth-metadata.ts'
import { checkEnabled, requireFullKey } from '../http/scopes.ts'
import { acceptedEnvelopes, answerOfDirect, directCallOf } from './direct-calls.ts'
import { answerOf } from './exchange.ts'
import { type ChallengeOf, mcpErrorHandler } from './mcp-errors.ts'
import type { McpServices } from './mcp-server.ts'

const inTurn = '/mcp'
const ofPerson = roomPath(':cid')

/** Room for the envelope of a message around the parameters of a tool. */
const bodyMaxBytes = runSubmitBodyMaxBytes + 16 * 1024

const config: BodyConfig = {
  nulFields: undefined,
  bodyKind: undefined,
  parsedApart: true,
  inputWithin: ['params', 'arguments'],
}

export interface McpOptions extends MountOptions {
  services: McpServices
  /** Whom a turn context names; throws 418. */
  principalOfTurn: (token: string) => Promise<Principal>
  /** Another service issues the tokens of programs. */
  hasOtherIssuer: boolean
  /** Whom a program acts for in a room; undefined for credentials that are not of OAuth; throws 418. */
  principalOfAgent: (headers: IncomingHttpHeaders, roomId: string) => Promise<Principal | undefined>
}

/**
 * `POST /mcp` in the turn that the bearer token names, and `POST /mcp/chatrooms/{cid}` for a person with their own token or
 * full-scope key, or for a program with a token that they granted it by OAuth. As elsewhere, credentials and kill switch are checked before the body is read.
 */
export function mountMcp(app: FastifyInstance, options: McpOptions): void {
  const { services } = options
  // The SDK takes 200 ms and 34 MB to load: a service that nobody reaches over MCP does without.
  let loading: Promise<McpHttpHandler> | undefined
  const load = () => {
    loading ??= import('./mcp-server.ts').then(({ mcpHandler }) => mcpHandler(services))
    return loading
  }
  const accepted = acceptedEnvelopes()
  const checkRoom = validatorOf('path', Strict({ cid: Identifier }))

  const mount = (
    url: string,
    authenticate: (request: FastifyRequest) => Promise<Principal>,
    challengeOf: ChallengeOf,
  ) => {
    app.route<RouteGenericInterface, BodyConfig>({
      method: 'POST',
      url,
      bodyLimit: bodyMaxBytes,
      config,
      errorHandler: mcpErrorHandler(challengeOf),
      onRequest: async (request, reply) => {
        const read = async () => {
          const principal = await authenticate(request)
          requireFullKey(principal)
          return { principal, prefetched: undefined }
        }
        keepCaller(request, reply, { ...(await read()), readAgain: read, scheduler: options.scheduler })
        checkEnabled(options, { method: 'POST', path: url })
      },
      handler: async (request, reply) => {
        await takeTurn(request, 0)
        await refreshCaller(request, options.callerMaxAgeMs)
        const caller = await toolCaller(request)
        const direct = directCallOf(request)
        const acting = actingOf('mcp', caller.principal, caller.roomId)
        if (direct && accepted.get(direct.envelope)) {
          const work = () => answerOfDirect(services, { caller, call: direct, reply })
          const answer = await inRequest(request.id, work, acting)
          if (answer !== undefined) return reply.type('application/json').send(answer)
        }
        const onCall = () => direct && accepted.set(direct.envelope, true)
        const handler = await load()
        const work = () => answerOf(handler, { request, reply, call: { caller, onCall } })
        return inRequest(request.id, work, acting)
      },
    })
    // No stream is open without a request, and no session could be deleted.
    app.route({
      method: ['GET', 'DELETE'],
      url,
      handler: async () => {
        throw new PlainError(405, 'Method Not Allowed', { allow: 'POST, OPTIONS' })
      },
    })
  }

  async function toolCaller(request: FastifyRequest): Promise<ToolCaller> {
    const principal = callerOf(request)
    const { turn } = principal
    if (turn) return { principal, roomId: turn.roomId, turn }
    const cid = roomOf(request)
    if (cid === undefined) throw notFound()
    // A caller whose room it is not learns nothing of it, not even whether it loads tools.
    const { id: roomId, jobs } = await services.directory.requireRoom(principal, 'message.post', cid)
    return { principal, roomId, loadsTools: namesAgentTools(jobs) }
  }

  const roomOf = ({ params }: FastifyRequest): string | undefined =>
    isValid(checkRoom, params) ? (params as { cid: string }).cid : undefined

  /** Where to log in, for a client that can (RFC 9728, section 5.1). */
  const challengeOfRoom: ChallengeOf = (request) => {
    const roomId = roomOf(request)
    if (roomId === undefined) return 'Bearer'
    const isWrong = request.headers.authorization !== undefined
    const metadata = resourceMetadataUrl(services.baseUrl, roomId)
    return [
      `Bearer resource_metadata="${metadata}"`,
      ...(options.hasOtherIssuer ? [] : [`scope="${toolScope}"`]),
      ...(isWrong ? ['error="invalid_token"'] : []),
    ].join(', ')
  }

  mount(
    inTurn,
    ({ headers }) => options.principalOfTurn(bearerOf(headers.authorization)),
    () => 'Bearer',
  )
  mount(
    ofPerson,
    async (request) => {
      const agent = await options.principalOfAgent(request.headers, roomOf(request) ?? '')
      return agent ?? options.authenticate(request)
    },
    challengeOfRoom,
  )
}

const bearerOf = (authorization = ''): string =>
  /^bearer (?<token>\S+)$/i.exec(authorization)?.groups?.token ?? ''
