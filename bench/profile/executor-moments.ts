import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readTicket } from '../../server/executor/oci/agent/ticket.ts'
import { AgentClient } from '../../server/executor/oci/client.ts'
import { agentPaths } from '../../server/executor/oci/paths.ts'
import { noOp } from '../harness/bench-job.ts'
import { jobSandbox } from '../harness/job-sandbox.ts'
import type { Moments } from './phases.ts'
import { stampLagMs } from './stamp-lag.ts'

const restMs = 40
const now = () => performance.timeOrigin + performance.now()

/**
 * Runs the sandbox of the job through the executor port of a living host agent, past api and worker, and reads when its
 * keeper did what from the files that it leaves: nothing in the product is changed for it.
 */
export async function executorMoments(dataDir: string, count: number): Promise<Moments[]> {
  const { spec, stdin } = await jobSandbox(dataDir, noOp)
  const executor = new AgentClient(join(dataDir, 'run/agent.sock'))
  const lagMs = await stampLagMs(dataDir)
  const operations: Moments[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const id = `bench_${index}`
      const asked = now()
      await executor.start({ ...spec, id }, stdin)
      const running = now()
      await executor.wait(id)
      const told = now()
      const files = await filesOf(await folderOf(agentPaths(dataDir).sandboxes, id), lagMs)
      const removing = now()
      await executor.remove(id)
      operations.push([
        ['asked', asked],
        ['agent: a sandbox, its ticket on disk', files.ticket],
        ['shim: the word; until the agent told that the program runs', running],
        ['program, to its end', files.collected],
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

/** One that was made before it was asked for does not have its id for a name. */
async function folderOf(parent: string, id: string): Promise<string> {
  for (const name of await readdir(parent)) {
    const ticket = await readTicket(join(parent, name))
    if (ticket?.spec.id === id) return join(parent, name)
  }
  throw new Error(`no sandbox was made for ${id}`)
}

/** Times that only the files know. The record's is that of its last word, before it was synced. */
async function filesOf(folder: string, lagMs: number) {
  const [ticket, collected, exit] = await Promise.all(
    ['ticket.json', 'result.0', 'exit.json'].map((name) => stat(join(folder, name))),
  )
  const at = (stamp: number | undefined) => (stamp ?? Number.NaN) + lagMs
  return {
    ticket: at(ticket?.mtimeMs),
    collected: at(collected?.birthtimeMs),
    exit: at(exit?.mtimeMs),
  }
}
