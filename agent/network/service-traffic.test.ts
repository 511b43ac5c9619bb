import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakeInternet, publicHosts } from '../../testing/agent/internet/fake-internet.ts'
import { shellJob, TestAgent } from '../../testing/agent/test-agent.ts'
import { sandboxRuntimes } from '../port/sandbox-spec.ts'
import { serviceAddress } from '../port/service-address.ts'

/* Traffic between a sandbox with a public network and the service is not measured as its own. */

const MiB = 1024 * 1024
let internet: FakeInternet
let agent: TestAgent
let image: string

beforeAll(async () => {
  internet = await FakeInternet.make()
  const settings = { SANDBOX_RUNTIME_EGRESS: 'true', SANDBOX_PORT: '80', SANDBOX_CALLBACK_PORT: '443' }
  agent = await TestAgent.start(settings, { prefix: internet.onMachine })
  image = await agent.image([])
})
afterAll(async () => {
  await agent.dispose()
  await internet.dispose()
})

const service = `${serviceAddress.ip4} ${serviceAddress.port}`
const receive = (count: number, target: string) => `echo send ${count * MiB} | nc -w 20 ${target} | wc -c`
const send = (count: number, target: string) =>
  `{ echo take; dd if=/dev/zero bs=1M count=${count} 2>/dev/null; } | nc -w 20 ${target}`

test.each(sandboxRuntimes)(
  '%s: only what went elsewhere is measured, also at the port where the service listens',
  async (runtime) => {
    const script = [
      receive(8, service),
      send(8, service),
      receive(2, `${publicHosts.ip4} 80`),
      send(3, `${publicHosts.ip4} 443`),
    ].join('\n')
    const job = shellJob(image, script, { timeoutMs: 60_000, runtime })
    const { exit, log } = await agent.run({ ...job, network: { egressCapBytes: 64 * MiB, service: true } })
    // The server counts what follows the first packet.
    expect(log.split('\n').map((line) => Math.round(Number(line) / MiB))).toEqual([8, 8, 2, 3, 0])
    const shares = [exit.network.ingressBytes / MiB, exit.network.egressBytes / MiB]
    console.log(
      `received 8 + 2 MiB, sent 8 + 3 MiB: measured ${shares.map((each) => each.toFixed(3)).join(' ')}`,
    )
    // A busy machine sends lost packets again; the acknowledgements of what is received count as sent.
    expect(shares[0]).toBeGreaterThan(1.9)
    expect(shares[0]).toBeLessThan(3)
    expect(shares[1]).toBeGreaterThan(2.9)
    expect(shares[1]).toBeLessThan(4.5)
  },
)

test('the address of the service without its permission is no way around the measurement', async () => {
  const script = `${send(2, service)}; ${send(2, `${publicHosts.ip4} 443`)}`
  const job = shellJob(image, script, { timeoutMs: 60_000 })
  const { exit, log } = await agent.run({ ...job, network: { egressCapBytes: 64 * MiB } })
  expect(log).toMatch(/refused/)
  expect(exit.network.egressBytes / MiB).toBeGreaterThan(1.9)
})
