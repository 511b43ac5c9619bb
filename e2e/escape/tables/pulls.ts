import { machine } from '../../../server/executor/oci/network/fake-internet.ts'
import { shellJob } from '../../../server/executor/oci/test-agent.ts'
import { registry, type Stage } from '../stage.ts'
import type { Trial, Trials } from '../trial.ts'

/** Beside the registry's own: other ports of it, inner addresses, the machine's own. */
const closed: [name: string, address: string, port: number][] = [
  ['registry_other_port', registry.address, 80],
  ['inner', '10.9.9.9', registry.port],
  ['cloud', '169.254.169.254', 80],
  ['machine', machine.ip4, registry.port],
  ['machine_inner', machine.private4, registry.port],
]

/** What pulls reach of the operator's own registry at an inner address, and nobody else does. */
export const pulls: Trials = {
  class: 'pulls',
  trials: [
    {
      name: 'registry',
      what: 'a pull is kept from the registry, which would make the rest prove nothing',
      run: async (stage) =>
        (await pullReaches(stage, registry.address, registry.port)) ? undefined : 'not reached',
    },
    ...closed.map(
      ([name, address, port]): Trial => ({
        name: `pull_${name}`,
        what: `a pull connects to ${address}, port ${port}`,
        run: async (stage) => ((await pullReaches(stage, address, port)) ? 'reached' : undefined),
      }),
    ),
    {
      name: 'job_registry',
      what: 'a job connects to the registry after a pull',
      run: async (stage) => {
        await pullReaches(stage, registry.address, registry.port)
        const reach = `echo | nc -w 1 ${registry.address} ${registry.port} | grep -q hello && echo reached`
        const job = shellJob(stage.image, reach, { timeoutMs: 30_000, runtime: stage.runtime })
        const { log } = await stage.agent.run({ ...job, network: { egressCapBytes: 2 ** 20 } })
        return log.includes('reached') ? 'reached' : undefined
      },
    },
  ],
}

/** Whether a sandbox that pulls gets a greeting from there. */
async function pullReaches({ agent, canaries }: Stage, address: string, port: number): Promise<boolean> {
  const greet = `exec 3<>/dev/tcp/${address}/${port} && echo >&3 && cat <&3`
  const { log } = await agent.run({
    ...shellJob('', '', { timeoutMs: 30_000 }),
    rootfs: { kind: 'builder' },
    argv: ['/usr/bin/timeout', '2', '/bin/bash', '-c', greet],
    network: { egressCapBytes: 2 ** 20, registry: true },
  })
  canaries.heard(log)
  return log.includes('hello from')
}
