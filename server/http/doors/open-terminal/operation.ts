import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, Type } from 'typebox'
import { PlainError } from '../../../base/errors/plain-error.ts'
import { everybody, isPersonName, type Person } from '../../../doors/terminal/person.ts'
import { validatorOf } from '../../requests/validation.ts'
import type { DoorCall, DoorRoute } from '../door-mount.ts'

/*
 * The operations of Open Terminal. Each is declared once: its schemas check the requests, and are in the document from which the
 * platform makes the tools of its models.
 */

export interface TerminalCall<Query, Body> extends DoorCall {
  person: Person
  /** The conversation, where the request names one. */
  conversation: string | undefined
  query: Query
  body: Body
  /** Of the address. */
  params: Record<string, string>
}

/** As models are offered it. */
interface ToolTexts {
  operationId: string
  summary: string
  description: string
}

type Route = Omit<DoorRoute, 'handle'>

export interface Operation {
  route: Route
  /** Absent: only pages of the platform call it. */
  tool: ToolTexts | undefined
  query: TObject
  body: TObject | undefined
  handle: (call: TerminalCall<never, never>) => Promise<unknown>
}

interface Declared<Query extends TObject, Body extends TObject> extends Route {
  tool?: ToolTexts
  query?: Query
  body?: Body
  handle: (call: TerminalCall<Static<Query>, Static<Body>>) => Promise<unknown>
}

const nothing = Type.Object({})

export const operation = <Query extends TObject, Body extends TObject>({
  tool,
  query,
  body,
  handle,
  ...route
}: Declared<Query, Body>): Operation => ({ route, tool, query: query ?? nothing, body, handle })

/** As a route of the door, which checks the request. Throws 400 for a name of a person that is none, and the standard 422 array. */
export function routeOf({ route, query, body, handle }: Operation): DoorRoute {
  const checkQuery = validatorOf('query', query)
  const checkBody = body && validatorOf('body', body)
  return {
    ...route,
    path: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    handle: async (call) => {
      const { request, open } = call
      const person = { open, name: nameIn(request, 'x-user-id') ?? everybody }
      const conversation = nameIn(request, 'x-session-id')
      const given = queryOf(request, query)
      checkQuery(given)
      checkBody?.(request.body)
      const params = request.params as Record<string, string>
      return handle({
        ...call,
        person,
        conversation,
        params,
        query: given as never,
        body: request.body as never,
      })
    },
  }
}

/** The platform names its users and their conversations in headers. Undefined: it names none. */
function nameIn({ headers }: FastifyRequest, header: string): string | undefined {
  const name = headers[header]
  if (name === undefined || name === '') return undefined
  if (typeof name === 'string' && isPersonName(name)) return name
  throw new PlainError(400, `The header ${header} must have 1 to 128 visible ASCII characters`)
}

/** Models send `null` for what they leave out, and the platform writes `True` for true. */
function queryOf({ query }: FastifyRequest, schema: TObject): Record<string, unknown> {
  const properties: Record<string, { type?: string } | undefined> = schema.properties
  const sent = Object.entries(query as Record<string, unknown>).filter(
    ([, value]) => String(value).toLowerCase() !== 'null',
  )
  return Object.fromEntries(
    sent.map(([name, value]) => {
      const isBoolean = properties[name]?.type === 'boolean'
      return [name, isBoolean ? String(value).toLowerCase() : value]
    }),
  )
}
