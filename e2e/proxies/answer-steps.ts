import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { requireParts, type Step } from '../first-hour/step.ts'
import { authorized, type Ground, mib, requireStatus, step } from './ground.ts'
import { type Answer, type Sent, send } from './https-request.ts'

/** The address of a client as the service sees it, and its refusals, which pass the proxy unchanged. */
export function answerSteps(ground: Ground): Step[] {
  const { direct, proxied } = ground
  return [
    step(
      'operator',
      "finds the client's address in the log, not the one that the client claims",
      async () => {
        const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' }
        const from = '127.0.0.5'
        const answer = await send({ ...proxied, from }, { method: 'POST', path: '/nowhere', headers })
        requireStatus(answer, 404)
        const line = await ground.service.requestLine(String(answer.headers['x-request-id']))
        if (line.from !== from) throw new Error(`the log has the address ${line.from}`)
      },
    ),
    step('integrator', 'gets the same 413 and 431 as without the proxy', async () => {
      const large = JSON.stringify({ name: 'x'.repeat(4 * mib) })
      const json = { 'content-type': 'application/json', 'content-length': String(large.length) }
      const requests: [number, Sent][] = [
        [413, { method: 'POST', path: allRoutes.createEnvironment.path, headers: json, body: large }],
        [431, { path: '/private/nowhere', headers: { 'x-large': 'x'.repeat(20_000) } }],
      ]
      for (const [status, sent] of requests) {
        const [expected, answer] = [
          await send(direct, authorized(ground, sent)),
          await send(proxied, authorized(ground, sent)),
        ]
        requireStatus(expected, status)
        requireStatus(answer, status)
        if (
          answer.body !== expected.body ||
          answer.headers['content-type'] !== expected.headers['content-type']
        )
          throw new Error(`the answer is ${answer.body}, without the proxy ${expected.body}`)
        if (answer.headers['x-request-id'] === undefined) throw new Error(`a ${status} without X-Request-Id`)
      }
    }),
    step('person in a room', 'is refused after wrong passwords, at another address not', async () => {
      const logIn = (from: string, password: string) => {
        const body = new URLSearchParams({ username: ground.service.user, password }).toString()
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        return send({ ...proxied, from }, { method: 'POST', path: allRoutes.createToken.path, headers, body })
      }
      let answer: Answer
      do answer = await logIn('127.0.0.6', 'wrong')
      while (answer.status === 418)
      requireStatus(answer, 429)
      requireParts(answer.body, 'login_rate_limited')
      if (!(Number(answer.headers['retry-after']) > 0)) throw new Error('without Retry-After')
      requireStatus(await logIn('127.0.0.7', ground.service.password), 200)
    }),
  ]
}
