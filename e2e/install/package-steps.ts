import { copyFile } from 'node:fs/promises'
import { requireParts, type Step } from '../first-hour/step.ts'
import { pathOn } from './machine.ts'
import { dataFolder, type Operator } from './operator.ts'
import type { Packages } from './packages.ts'
import type { WaitingRun } from './waiting-run.ts'

interface Installation {
  packages: Packages
  /** Starts here, and goes on. */
  run: WaitingRun
  /** Takes the time from the installation to the first ready answer. */
  readyMs: (ms: number) => void
}

/** The package on a new machine. */
export function packageSteps(operator: Operator, { packages, run, readyMs }: Installation): Step[] {
  const { machine } = operator
  const step = (does: string, work: () => Promise<void>): Step => ({ person: 'operator', does, run: work })
  return [
    step('installs the package with settings of their own, and it is ready', async () => {
      for (const [name, file] of Object.entries(packages))
        await copyFile(file, pathOn(machine, `/root/${name}.deb`))
      await operator.writeSettings()
      await machine.must('apt-get', 'update')
      const startedMs = performance.now()
      await operator.install('/root/former.deb')
      readyMs(performance.now() - startedMs)
    }),
    step('finds settings and data closed to other users', async () => {
      const modes = await machine.must(
        'stat',
        '--format=%a %U %n',
        '/etc/sandbox-jobs/environment',
        dataFolder,
      )
      requireParts(modes, '600 root /etc/sandbox-jobs/environment', `711 root ${dataFolder}`)
      requireParts(await machine.must('systemctl', 'is-enabled', 'sandbox-jobs.target'), 'enabled')
    }),
    step('deploys a task and runs it', async () => {
      await operator.deploy()
      await operator.countWords()
    }),
    step('restarts the service while a run goes on, which it survives', async () => {
      await run.start()
      const before = await operator.mainProcess()
      await machine.must('systemctl', 'restart', 'sandbox-jobs.target')
      if ((await operator.mainProcess()) === before) throw new Error('the service was not restarted')
      await run.requireRunning()
    }),
    step('kills the service, which starts again and continues the run', async () => {
      const before = await operator.mainProcess()
      await machine.must('systemctl', 'kill', '--kill-who=main', '--signal=KILL', 'sandbox-jobs.service')
      await run.requireRunning()
      if ((await operator.mainProcess()) === before) throw new Error('the service was not killed')
    }),
  ]
}
