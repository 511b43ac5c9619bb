import { machine } from '../../../testing/agent/internet/fake-internet.ts'
import { shellJob } from '../../../testing/agent/test-agent.ts'
import { registry, type Testbed } from '../testbed.ts'
import type { Trial, Trials } from '../trial.ts'

/** Targets that a pull must not reach: other ports of the registry, internal addresses, the machine itself. */
const closed: [name: string, address: string, port: number][] = [
  ['registry_other_port', registry.address, 80],
  ['inner', '10.9.9.9', registry.port],
  ['cloud', '169.254.169.254', 80],
  ['machine', machine.ip4, registry.port],
  ['machine_inner', machine.private4, registry.port],
]

/** Only pulls reach the operator's registry at an internal address. */
export const pulls: Trials = {
  class: 'pulls',
  trials: [
    {
      name: 'registry',
      what: 'a pull is kept from the registry, which would make the rest prove nothing',
      run: async (testbed) =>
        (await pullReaches(testbed, registry.address, registry.port)) ? undefined : 'not reached',
    },
    ...closed.map(
      ([name, address, port]): Trial => ({
        name: `pull_${name}`,
        what: `a pull connects to ${address}, port ${port}`,
        run: async (testbed) => ((await pullReaches(testbed, address, port)) ? 'reached' : undefined),
      }),
    ),
    {
      name: 'job_registry',
      what: 'a job connects to the registry after a pull',
      run: async (testbed) => {
        await pullReaches(testbed, registry.address, registry.port)
        const reach = `echo | nc -w 1 ${registry.address} ${registry.port} | grep -q hello && echo reached`
        const job = shellJob(testbed.image, reach, { timeoutMs: 30_000, runtime: testbed.runtime })
        const { log } = await testbed.agent.run({ ...job, network: { egressCapBytes: 2 ** 20 } })
        return log.includes('reached') ? 'reached' : undefined
      },
    },
  ],
}

/** Whether a pull sandbox gets a greeting from that address. */
async function pullReaches({ agent, canaries }: Testbed, address: string, port: number): Promise<boolean> {
  const greet = `exec 3<>/dev/tcp/${address}/${port} && echo >&3 && cat <&3`
  const { log } = await agent.run({
    ...shellJob('', '', { timeoutMs: 30_000 }),
    rootfs: { kind: 'builder' },
    argv: ['/usr/bin/timeout', '2', '/bin/bash', '-c', greet],
    network: { egressCapBytes: 2 ** 20, registry: true },
  })
  canaries.checkOutput(log)
  return log.includes('hello from')
}
