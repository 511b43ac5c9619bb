import { AgentClient } from '../../../../agent/client/agent-client.ts'
import { ExecutorUnavailable } from '../../../../agent/port/errors.ts'
import { type RunnerReleaseRow, RunnerReleases } from '../../../environments/operator/runner-releases.ts'
import { actOnService, type Outcome, onLocalService } from '../local-service.ts'

export interface RunnerReleaseView extends RunnerReleaseRow {
  /** The host agent of this machine runs this release now. */
  runs: boolean
}

/** Every runner release ever seen, newest first. The current one is registered by this query. */
export const readRunnerReleases = (): Outcome<RunnerReleaseView[]> =>
  onLocalService(async ({ db, config }) => {
    const releases = new RunnerReleases(db, config.runnerApproval)
    const running = await runningRunner(config.agentSocket)
    const release = running && (await releases.record(running))
    return (await releases.list()).map((row) => ({ ...row, runs: row.release === release }))
  })

/** False: no such release was ever seen. */
export const approveRunnerRelease = (release: string): Outcome<boolean> =>
  actOnService({ act: 'runner_release_approve', subject: release }, ({ db, config }) =>
    new RunnerReleases(db, config.runnerApproval).approve(release),
  )

async function runningRunner(agentSocket: string) {
  const agent = new AgentClient(agentSocket)
  try {
    return await agent.runner()
  } catch (error) {
    if (error instanceof ExecutorUnavailable) return undefined
    throw error
  } finally {
    agent.close()
  }
}
