import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentClient } from '../../server/executor/oci/client.ts'
import { agentPaths } from '../../server/executor/oci/paths.ts'
import { noOpSandbox } from '../harness/no-op-sandbox.ts'
import type { Moments } from './phases.ts'

const restMs = 40
const now = () => performance.timeOrigin + performance.now()

/**
 * Runs the sandbox of the job through the executor port of a living host agent, past api and worker, and reads when its
 * keeper did what from the files that it leaves: nothing in the product is changed for it.
 */
export async function executorMoments(dataDir: string, count: number): Promise<Moments[]> {
  const { spec, stdin } = await noOpSandbox(dataDir)
  const executor = new AgentClient(join(dataDir, 'run/agent.sock'))
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
      const files = await filesOf(folder)
      const removing = now()
      await executor.remove(id)
      operations.push([
        ['asked', asked],
        ['agent: plan and ticket on disk', files.ticket],
        ['agent: shim started', files.control],
        ['shim: limits and mounts', files.log],
        ['crun: until the agent told that the program runs', running],
        ['program, and crun to its end', Math.max(files.collected, running)],
        ['shim: collect, exit record on disk', files.exit],
        ['agent: told', Math.max(told, files.exit)],
        ['agent: remove', Math.max(told, files.exit) + now() - removing],
      ])
      await sleep(restMs)
    }
    return operations
  } finally {
    executor.close()
  }
}

/** Times that only the files know. The record's is that of its last name, given after it was synced. */
async function filesOf(folder: string) {
  const [ticket, control, log, collected, exit] = await Promise.all(
    ['ticket.json', 'ctl', 'log.head', 'result.0', 'exit.json'].map((name) => stat(join(folder, name))),
  )
  return {
    ticket: ticket?.mtimeMs ?? Number.NaN,
    control: control?.birthtimeMs ?? Number.NaN,
    log: log?.birthtimeMs ?? Number.NaN,
    collected: collected?.birthtimeMs ?? Number.NaN,
    exit: exit?.ctimeMs ?? Number.NaN,
  }
}
