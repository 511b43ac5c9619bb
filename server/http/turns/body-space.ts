import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlainError } from '../../base/errors/plain-error.ts'
import { type BodyConfig, companyOf, isStreamed } from '../mount.ts'
import { onceClosed } from '../requests/client-gone.ts'

/** Bodies of one company that are in memory at once, in bytes: while they arrive, and while they wait for their turns. */
const bytesOfCompany = 64 * 1024 ** 2
/** Smaller bodies are bounded by the number of connections. */
const countedMinBytes = 16 * 1024

interface Space {
  bytes: number
  waiting: Set<{ bytes: number; start: () => void }>
}

/** Bounds the bodies that a company has in memory. Others wait, unread, until those before them are parsed. */
export class BodySpace {
  readonly #max: number
  readonly #spaces = new Map<string, Space>()

  constructor(maxBytes = bytesOfCompany) {
    this.#max = maxBytes
  }

  /** Resolves to the function that gives the space back, or to undefined if the sender left before. */
  take(company: string, wantedBytes: number, reply: FastifyReply): Promise<(() => void) | undefined> {
    const space = this.#spaces.get(company) ?? { bytes: 0, waiting: new Set() }
    this.#spaces.set(company, space)
    const bytes = Math.min(wantedBytes, this.#max)
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>()
    let isHeld = false
    const end = () => {
      space.waiting.delete(body)
      if (isHeld) space.bytes -= bytes
      isHeld = false
      resolve(undefined)
      this.#startWaiting(company, space)
    }
    const start = () => {
      isHeld = true
      space.bytes += bytes
      resolve(end)
    }
    const body = { bytes, start }
    space.waiting.add(body)
    onceClosed(reply, end)
    this.#startWaiting(company, space)
    return promise
  }

  #startWaiting(company: string, space: Space): void {
    for (const body of space.waiting) {
      if (space.bytes + body.bytes > this.#max) return
      space.waiting.delete(body)
      body.start()
    }
    if (space.bytes === 0 && this.#spaces.get(company) === space) this.#spaces.delete(company)
  }
}

/** Lets the bodies of a company arrive within its space. */
export function boundBodies(app: FastifyInstance, space: BodySpace): void {
  const held = new WeakMap<FastifyRequest, () => void>()
  const hold = async (request: FastifyRequest, reply: FastifyReply, company: string, bytes: number) => {
    const giveBack = await space.take(company, bytes, reply)
    if (!giveBack) throw new PlainError(408, 'Request Timeout')
    held.set(request, giveBack)
  }
  app.addHook('preParsing', (request, reply, payload, done) => {
    const company = companyOf(request)
    const bytes = bodyBytesOf(request)
    if (company === undefined || bytes < countedMinBytes) return done(null, payload)
    hold(request, reply, company, bytes).then(() => done(null, payload), done)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    held.get(request)?.()
    done()
  })
}

/** Bytes that the body may have; 0 for those that their routes read themselves. */
function bodyBytesOf({ headers, routeOptions: { bodyLimit, config } }: FastifyRequest): number {
  if (isStreamed(config as Partial<BodyConfig>)) return 0
  const isChunked = headers['transfer-encoding'] !== undefined
  return isChunked ? bodyLimit : Math.min(Number(headers['content-length'] ?? 0), bodyLimit)
}
