import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentClient } from '../../agent/client/agent-client.ts'
import { readStartRecord } from '../../agent/core/records/start-record.ts'
import { agentPaths } from '../../agent/host/paths.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { noOp } from '../harness/sandbox/bench-job.ts'
import { jobSandbox } from '../harness/sandbox/job-sandbox.ts'
import type { Moments } from './phases.ts'
import { stampLagMs } from './stamp-lag.ts'

const restMs = 40
const now = () => performance.timeOrigin + performance.now()

/**
 * Runs the sandbox of the job through the executor port of a running host agent, bypassing api and worker, and reads
 * the times of the shim's steps from its files: nothing in the product is changed for it.
 */
export async function executorMoments(dataDir: string, count: number): Promise<Moments[]> {
  const { spec, stdin } = await jobSandbox(dataDir, noOp)
  const executor = new AgentClient(join(dataDir, 'run/agent.sock'))
  const lagMs = await stampLagMs(dataDir)
  const operations: Moments[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const id = `bench_${index}`
      const requestedAt = now()
      await executor.start({ ...spec, id }, inputOf(stdin))
      const running = now()
      await executor.wait(id)
      const reportedAt = now()
      const files = await filesOf(await folderOf(agentPaths(dataDir).sandboxes, id), lagMs)
      const removing = now()
      await executor.remove(id)
      operations.push([
        ['request', requestedAt],
        ['agent: the files of a sandbox', files.startRecord],
        [
          'shim: a sandbox, records on disk, start signal; until the agent reports that the program runs',
          running,
        ],
        ['program, until its end', files.collected],
        ['shim: collect, exit record on disk', files.exit],
        ['agent: report', reportedAt],
        ['agent: remove', reportedAt + now() - removing],
      ])
      await sleep(restMs)
    }
    return operations
  } finally {
    executor.close()
  }
}

/** A sandbox that was made ahead does not have the id as its name. */
async function folderOf(parent: string, id: string): Promise<string> {
  for (const name of await readdir(parent)) {
    const startRecord = readStartRecord(join(parent, name))
    if (startRecord?.spec.id === id) return join(parent, name)
  }
  throw new Error(`no sandbox was made for ${id}`)
}

/** Times that only the files have. The time of the start record is that of its last write, before the sync. */
async function filesOf(folder: string, lagMs: number) {
  const [startRecord, collected, exit] = await Promise.all(
    ['ticket.json', 'result.0', 'exit.json'].map((name) => stat(join(folder, name))),
  )
  const at = (stamp: number | undefined) => (stamp ?? Number.NaN) + lagMs
  return {
    startRecord: at(startRecord?.mtimeMs),
    collected: at(collected?.birthtimeMs),
    exit: at(exit?.mtimeMs),
  }
}
