import { requireParts, type Step } from '../first-hour/step.ts'
import { dataFolder, type Operator } from './operator.ts'
import type { WaitingRun } from './waiting-run.ts'

/** The installed package is removed and purged, with a run that goes on meanwhile. */
export function removalSteps(operator: Operator, run: WaitingRun): Step[] {
  const { machine } = operator
  const step = (does: string, work: () => Promise<void>): Step => ({ person: 'operator', does, run: work })
  const requireGone = async (...paths: string[]) => {
    for (const path of paths) if (await operator.exists(path)) throw new Error(`${path} is left`)
  }
  const requireData = async () => {
    if (!(await operator.exists(`${dataFolder}/postgres`))) throw new Error('the data folder was removed')
  }

  return [
    step('removes the package while a run goes on, which ends it', async () => {
      await run.start()
      await machine.must('apt-get', 'remove', '--yes', 'sandbox-jobs')
      await operator.requireNothingLeft()
      await requireGone('/usr/lib/sandbox-jobs')
      await requireData()
    }),
    step('installs it again and finds settings and data', async () => {
      await operator.install('/root/contracted.deb')
      await run.untilEndedByPlatform()
      await operator.countWords()
    }),
    step('purges the package, which keeps the data folder', async () => {
      const text = await machine.must('apt-get', 'purge', '--yes', 'sandbox-jobs')
      requireParts(text, `${dataFolder} stays`)
      await operator.requireNothingLeft()
      await requireGone('/etc/sandbox-jobs')
      await requireData()
    }),
    step('purges it with the data folder marked and a run going on, which removes everything', async () => {
      await operator.writeSettings()
      await operator.install('/root/contracted.deb')
      await run.start()
      await machine.must('touch', `${dataFolder}/remove-at-purge`)
      await machine.must('apt-get', 'purge', '--yes', 'sandbox-jobs')
      await operator.requireNothingLeft()
      await requireGone(dataFolder, '/usr/lib/sandbox-jobs', '/etc/sandbox-jobs')
      if ((await machine.command('getent', 'passwd', 'sandbox-jobs-api')).code === 0)
        throw new Error('a user is left')
    }),
  ]
}
