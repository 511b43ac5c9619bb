import type { Step } from '../first-hour/step.ts'
import { killUpgrade } from './killed-upgrade.ts'
import type { Operator } from './operator.ts'
import type { WaitingRun } from './waiting-run.ts'

const later = '/opt/later'
const laterUnit = 'later-api.service'

/**
 * The package is upgraded while a run goes on, killed in its steps, and taken back. `laterPort` is for an API of the later release.
 */
export function upgradeSteps(operator: Operator, run: WaitingRun, laterPort: number): Step[] {
  const { machine } = operator
  const step = (does: string, work: () => Promise<void>): Step => ({ person: 'operator', does, run: work })
  const requireWorking = async () => {
    await run.requireRunning()
    await operator.countWords()
  }
  return [
    step('runs the API of the later release beside the service, and jobs by both', async () => {
      await machine.must('dpkg-deb', '--extract', '/root/expanded.deb', later)
      const program = [`${later}/usr/lib/sandbox-jobs/sandbox`, 'up', '--role', 'api']
      const settings = `--setenv=SANDBOX_PORT=${laterPort}`
      await machine.must('systemd-run', '--quiet', `--unit=${laterUnit}`, settings, ...program)
      await operator.untilReady({ port: laterPort, unit: laterUnit })
      for (const port of [laterPort, operator.port]) {
        await operator.logIn(port)
        await operator.countWords()
      }
      await machine.must('systemctl', 'stop', laterUnit)
      await machine.must('rm', '-r', later)
    }),
    step('kills the API of the former release, which starts again on the later schema', async () => {
      await machine.must('pkill', '--signal', 'KILL', '--full', '/api.mjs')
      await requireWorking()
    }),
    step('kills the upgrade while it unpacks files; the former release can be restarted', async () => {
      await killUpgrade(operator, '/root/expanded.deb', { in: 'unpacking', status: 'half-installed' })
      await machine.must('systemctl', 'restart', 'sandbox-jobs.target')
      await requireWorking()
    }),
    step('repeats the upgrade, which restarts the service and keeps settings and run', async () => {
      const before = await operator.mainProcess()
      await operator.installAfterKill('/root/expanded.deb')
      if ((await operator.mainProcess()) === before) throw new Error('the service was not restarted')
      await requireWorking()
    }),
    step('goes back to the former release on the same data', async () => {
      await operator.install('/root/former.deb')
      await requireWorking()
    }),
    step('kills the upgrade while it restarts the service, and repeats it', async () => {
      await killUpgrade(operator, '/root/expanded.deb', { in: 'restarting', status: 'half-configured' })
      await operator.installAfterKill('/root/expanded.deb')
      await requireWorking()
    }),
  ]
}
