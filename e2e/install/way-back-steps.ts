import { requireParts, type Step } from '../first-hour/step.ts'
import { killUpgrade, releaseMigration } from './killed-upgrade.ts'
import { dataFolder, installing, type Operator } from './operator.ts'
import type { WaitingRun } from './waiting-run.ts'

const backup = '/root/backup'

/** A release that takes something away from the schema, and the ways back from it. */
export function wayBackSteps(operator: Operator, run: WaitingRun): Step[] {
  const { machine } = operator
  const step = (does: string, work: () => Promise<void>): Step => ({ person: 'operator', does, run: work })
  const requireWorking = async () => {
    await run.requireRunning()
    await operator.countWords()
  }
  /** Installs the release before, which does not start. */
  const goBackInVain = async () => {
    requireParts(await machine.must(...installing('/root/expanded.deb')), 'the service did not start')
    const state = await machine.must('systemctl', 'show', '--property=ExecMainStatus', 'sandbox-jobs.service')
    requireParts(state, 'ExecMainStatus=6')
    const log = await machine.must('journalctl', '--unit=sandbox-jobs.service', '--lines=20')
    requireParts(log, '0003-contract-upgrade-tests', 'docs/operations/upgrade.md')
  }
  return [
    step('makes a backup', async () => {
      await operator.sandbox('operator', 'backup', backup)
    }),
    step('kills the upgrade in its contract migration; the release before starts on the data', async () => {
      await killUpgrade(operator, '/root/contracted.deb', { in: 'migrating', status: 'half-configured' })
      await operator.installAfterKill('/root/expanded.deb')
      await releaseMigration(operator)
      await requireWorking()
    }),
    step('repeats the upgrade, which completes it', async () => {
      await operator.install('/root/contracted.deb')
      await requireWorking()
    }),
    step('goes back, which is refused, ends no run and changes nothing', async () => {
      await goBackInVain()
      await run.requireProgram()
      await operator.install('/root/contracted.deb')
      await requireWorking()
    }),
    step('goes back with the backup, which has what was there before the upgrade', async () => {
      await goBackInVain()
      await machine.must('systemctl', 'stop', 'sandbox-jobs.target')
      await operator.sandbox('down', '--end-work')
      await machine.must('mv', dataFolder, `${dataFolder}.later`)
      await operator.sandbox('operator', 'restore', backup)
      await machine.must('systemctl', 'start', 'sandbox-jobs.target')
      await operator.untilReady()
      await run.untilEndedByPlatform()
      await operator.countWords()
      await machine.must('rm', '-r', `${dataFolder}.later`, backup)
    }),
  ]
}
