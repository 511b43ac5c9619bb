import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlainError } from '../../base/errors/plain-error.ts'
import { companyOf, senderOf } from '../caller.ts'
import { onceClosed } from '../requests/client-gone.ts'
import { isStreamedBody } from '../requests/media-type.ts'

/** Bodies of one company that are in memory at once, in bytes: while they arrive, and while they wait for their turns. */
const bytesOfCompany = 64 * 1024 ** 2
/** Smaller bodies are bounded by the number of connections. */
const countedMinBytes = 16 * 1024

interface Space {
  bytes: number
  bySender: Map<string, number>
  waiting: Set<Body>
}

interface Body {
  bytes: number
  sender: string
  start: () => void
}

/**
 * Bounds the bodies that a company has in memory. Others wait, unread, until those before them are parsed. One sender has at most half
 * of the space with several bodies, so that slow ones leave some to the others.
 */
export class BodySpace {
  readonly #max: number
  readonly #spaces = new Map<string, Space>()

  constructor(maxBytes = bytesOfCompany) {
    this.#max = maxBytes
  }

  /** Resolves to the function that gives the space back, or to undefined if the sender left before. */
  take(
    { company, sender }: { company: string; sender: string },
    wantedBytes: number,
    reply: FastifyReply,
  ): Promise<(() => void) | undefined> {
    const space = this.#spaces.get(company) ?? { bytes: 0, bySender: new Map(), waiting: new Set() }
    this.#spaces.set(company, space)
    const bytes = Math.min(wantedBytes, this.#max)
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>()
    let isHeld = false
    const end = () => {
      space.waiting.delete(body)
      if (isHeld) add(space, sender, -bytes)
      isHeld = false
      resolve(undefined)
      this.#startWaiting(company, space)
    }
    const start = () => {
      isHeld = true
      add(space, sender, bytes)
      resolve(end)
    }
    const body = { bytes, sender, start }
    space.waiting.add(body)
    onceClosed(reply, end)
    this.#startWaiting(company, space)
    return promise
  }

  #startWaiting(company: string, space: Space): void {
    for (const body of space.waiting) {
      const held = space.bySender.get(body.sender) ?? 0
      if (held > 0 && held + body.bytes > this.#max / 2) continue
      if (space.bytes + body.bytes > this.#max) return
      space.waiting.delete(body)
      body.start()
    }
    if (space.bytes === 0 && this.#spaces.get(company) === space) this.#spaces.delete(company)
  }
}

function add(space: Space, sender: string, bytes: number): void {
  space.bytes += bytes
  const held = (space.bySender.get(sender) ?? 0) + bytes
  if (held === 0) space.bySender.delete(sender)
  else space.bySender.set(sender, held)
}

/** Lets the bodies of a company arrive within its space. */
export function boundBodies(app: FastifyInstance, space: BodySpace): void {
  const held = new WeakMap<FastifyRequest, () => void>()
  const reserve = async (request: FastifyRequest, reply: FastifyReply, company: string, bytes: number) => {
    const giveBack = await space.take({ company, sender: senderOf(request) }, bytes, reply)
    if (!giveBack) throw new PlainError(408, 'Request Timeout')
    held.set(request, giveBack)
  }
  app.addHook('preParsing', (request, reply, payload, done) => {
    const company = companyOf(request)
    const bytes = bodyBytesOf(request)
    if (company === undefined || bytes < countedMinBytes) return done(null, payload)
    reserve(request, reply, company, bytes).then(() => done(null, payload), done)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    held.get(request)?.()
    done()
  })
}

/** Bytes that the body may have; 0 for those that their routes read themselves. */
function bodyBytesOf(request: FastifyRequest): number {
  if (isStreamedBody(request)) return 0
  const { headers, routeOptions } = request
  const { bodyLimit } = routeOptions
  const isChunked = headers['transfer-encoding'] !== undefined
  return isChunked ? bodyLimit : Math.min(Number(headers['content-length'] ?? 0), bodyLimit)
}
