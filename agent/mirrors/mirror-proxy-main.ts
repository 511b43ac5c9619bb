import { eachLine } from '../../server/base/each-line.ts'
import { mirrorKinds } from '../port/package-mirror.ts'
import { mirrorAddress, portOf } from './mirror-address.ts'
import { MirrorServer } from './proxy/mirror-server.ts'
import type { ProxyMirror } from './proxy/mirror-target.ts'

/*
 * The mirror proxy's process. The agent starts it (mirror-proxy.ts) as a user of its own, without any right, in the
 * router's network namespace, whose rules permit it connections to the declared mirrors alone. Each line on standard input is
 * one request in JSON, each line on standard output its answer; it ends with its input.
 */
export type ProxyRequest = { set: ProxyMirror[] } | { take: string }

const server = new MirrorServer()
for (const kind of mirrorKinds) await server.listen(kind, portOf(kind), mirrorAddress)

eachLine(process.stdin, (line) => {
  const request = JSON.parse(line) as ProxyRequest
  if ('set' in request) server.set(request.set)
  const answer = 'take' in request ? server.records.take(request.take) : {}
  process.stdout.write(`${JSON.stringify(answer)}\n`)
})
process.stdin.once('end', () => process.exit(0))
process.stdout.write('{}\n')
