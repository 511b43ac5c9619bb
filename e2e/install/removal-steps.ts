import { requireParts, type Step } from '../first-hour/step.ts'
import { dataFolder, type Operator } from './operator.ts'

/** The installed package is removed and purged, with runs that go on meanwhile. */
export function removalSteps(operator: Operator): Step[] {
  const { machine } = operator
  const step = (does: string, run: () => Promise<void>): Step => ({ person: 'operator', does, run })
  const requireGone = async (...paths: string[]) => {
    for (const path of paths) if (await operator.exists(path)) throw new Error(`${path} is left`)
  }
  const requireData = async () => {
    if (!(await operator.exists(`${dataFolder}/postgres`))) throw new Error('the data folder was removed')
  }
  let waiting = ''

  return [
    step('removes the package while a run goes on, which ends it', async () => {
      waiting = await operator.startWaiting()
      await machine.must('apt-get', 'remove', '--yes', 'sandbox-jobs')
      await operator.requireNothingLeft()
      await requireGone('/usr/lib/sandbox-jobs')
      await requireData()
    }),
    step('installs it again and finds settings and data', async () => {
      await operator.install('/root/next.deb')
      await operator.untilRun(waiting, 'platform_failed')
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
      await operator.install('/root/present.deb')
      await operator.startWaiting()
      await machine.must('touch', `${dataFolder}/remove-at-purge`)
      await machine.must('apt-get', 'purge', '--yes', 'sandbox-jobs')
      await operator.requireNothingLeft()
      await requireGone(dataFolder, '/usr/lib/sandbox-jobs', '/etc/sandbox-jobs')
      if ((await machine.command('getent', 'passwd', 'sandbox-jobs-api')).code === 0)
        throw new Error('a user is left')
    }),
  ]
}
