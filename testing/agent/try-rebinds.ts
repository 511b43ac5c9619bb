import { machine, publicHosts } from './internet/fake-internet.ts'
import type { ResolvingAgent } from './internet/resolving-agent.ts'
import { shellJob } from './test-agent.ts'

const hex4 = (address: string) => Buffer.from(address.split('.').map(Number)).toString('hex')
/** Addresses that the names resolve to at every other query: a neighbouring network, the machine itself, the job. */
const inner = ['10.9.9.9', machine.ip4, '127.0.0.1'].map(hex4)
/** Names per job. */
const rebindsOfJob = 900
const timeoutMs = 10 * 60_000

export interface Rebinds {
  made: number
  /** Connections that reached the public address of the name; the others were refused. */
  outside: number
  /** Connections that reached anything else. */
  inside: string[]
}

/**
 * DNS rebinding: jobs connect to `count` names, each of which resolves to a public address at one query and to an internal one
 * at the next.
 */
export async function tryRebinds(on: ResolvingAgent, image: string, count: number): Promise<Rebinds> {
  const { internet, agent } = on
  internet.contacts.length = 0
  const rebinds: Rebinds = { made: 0, outside: 0, inside: [] }
  while (rebinds.made < count) {
    const names = Math.ceil(Math.min(rebindsOfJob, count - rebinds.made) / inner.length)
    const script = `i=0; while [ $i -lt ${names} ]; do i=$((i+1)); for inner in ${inner.join(' ')}; do
      echo | nc -w 2 r$i.swap.${hex4(publicHosts.ip4)}.$inner.test 80 2>/dev/null; done; done; echo done`
    const { exit, log } = await agent.run({
      ...shellJob(image, script, { timeoutMs, logBytes: 2 ** 20 }),
      network: { egressCapBytes: 2 ** 30 },
    })
    const lines = log.trim().split('\n')
    if (exit.cause !== 'exited' || lines.pop() !== 'done') throw new Error(`a job ended by ${exit.cause}`)
    rebinds.made += names * inner.length
    rebinds.outside += lines.filter((line) => line === `hello from ${publicHosts.ip4}`).length
    rebinds.inside.push(...lines.filter((line) => line !== `hello from ${publicHosts.ip4}`))
  }
  rebinds.inside.push(...internet.contacts.filter((contact) => contact !== `tcp 80 ${publicHosts.ip4}`))
  rebinds.inside.push(...internet.machineContacts)
  return rebinds
}
