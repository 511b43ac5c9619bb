import type { FastifyInstance } from 'fastify'
import type { AnswerSpace } from '../../fairness/answer-space.ts'
import { companyOf } from '../caller.ts'

/** Smaller answers are bounded by the number of connections. */
const countedMinBytes = 64 * 1024

/** Keeps the answers of a company within its space. Streams are bounded by what they hold at once. */
export function boundAnswers(app: FastifyInstance, space: AnswerSpace): void {
  app.addHook('onSend', (request, { raw }, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    if (bytes < countedMinBytes || request.method === 'HEAD' || raw.closed) return done()
    const company = companyOf(request)
    if (company !== undefined) space.hold(company, bytes, raw)
    done()
  })
}
