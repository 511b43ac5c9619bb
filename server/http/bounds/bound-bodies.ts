import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlainError } from '../../base/errors/plain-error.ts'
import type { BodySpace } from '../../fairness/body-space.ts'
import { companyOf, senderOf } from '../caller.ts'
import { onceClosed } from '../requests/client-gone.ts'
import { isStreamedBody } from '../requests/media-type.ts'

/** Smaller bodies are bounded by the number of connections. */
const countedMinBytes = 16 * 1024

/** Lets the bodies of a company arrive within its space. */
export function boundBodies(app: FastifyInstance, space: BodySpace): void {
  const held = new WeakMap<FastifyRequest, () => void>()
  const reserve = async (request: FastifyRequest, reply: FastifyReply, company: string, bytes: number) => {
    const onGone = (gone: () => void) => onceClosed(reply, gone)
    const giveBack = await space.take({ company, sender: senderOf(request) }, bytes, onGone)
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
