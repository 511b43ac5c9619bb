import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentClient } from '../../server/executor/oci/client.ts'
import { agentPaths } from '../../server/executor/oci/paths.ts'
import { noOpSandbox } from '../harness/no-op-sandbox.ts'
import type { Moments } from './phases.ts'
import { stampLagMs } from './stamp-lag.ts'

const restMs = 40
const now = () => performance.timeOrigin + performance.now()

/**
 * Runs the sandbox of the job through the executor port of a living host agent, past api and worker, and reads when its
 * keeper did what from the files that it leaves: nothing in the product is changed for it.
 */
export async function executorMoments(dataDir: string, count: number): Promise<Moments[]> {
  const { spec, stdin } = await noOpSandbox(dataDir)
  const executor = new AgentClient(join(dataDir, 'run/agent.sock'))
  const lagMs = await stampLagMs(dataDir)
  const operations: Moments[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const id = `bench_${index}`
      const folder = join(agentPaths(dataDir).sandboxes, id)
      const asked = now()
      await executor.start({ ...spec, id }, stdin)
      const running = now()
      await executor.wait(id)
      const told = now()
      const files = await filesOf(folder, lagMs)
      const removing = now()
      await executor.remove(id)
      operations.push([
        ['asked', asked],
        ['agent: plan and ticket on disk', files.ticket],
        ['agent: shim started', files.control],
        ['shim: limits and mounts', files.log],
        ['crun: until the agent told that the program runs', running],
        ['program, and crun to its end', files.collected],
        ['shim: collect, exit record on disk', files.exit],
        ['agent: told', told],
        ['agent: remove', told + now() - removing],
      ])
      await sleep(restMs)
    }
    return operations
  } finally {
    executor.close()
  }
}

/** Times that only the files know. The record's is that of its last name, given after it was synced. */
async function filesOf(folder: string, lagMs: number) {
  const [ticket, control, log, collected, exit] = await Promise.all(
    ['ticket.json', 'ctl', 'log.head', 'result.0', 'exit.json'].map((name) => stat(join(folder, name))),
  )
  const at = (stamp: number | undefined) => (stamp ?? Number.NaN) + lagMs
  return {
    ticket: at(ticket?.mtimeMs),
    control: at(control?.birthtimeMs),
    log: at(log?.birthtimeMs),
    collected: at(collected?.birthtimeMs),
    exit: at(exit?.ctimeMs),
  }
}
