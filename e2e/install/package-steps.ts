import { copyFile } from 'node:fs/promises'
import { requireParts, type Step } from '../first-hour/step.ts'
import { pathOn } from './machine.ts'
import { dataFolder, type Operator } from './operator.ts'
import type { Packages } from './packages.ts'

/** The package from its installation to an upgrade. `readyMs` takes the time from the installation to the first ready answer. */
export function packageSteps(operator: Operator, packages: Packages, readyMs: (ms: number) => void): Step[] {
  const { machine } = operator
  const step = (does: string, run: () => Promise<void>): Step => ({ person: 'operator', does, run })
  const pid = () => machine.must('systemctl', 'show', '--property=MainPID', 'sandbox-jobs.service')
  let waiting = ''
  let program = ''
  const goesOn = async () => {
    await operator.untilReady()
    await operator.untilRun(waiting, 'running')
    if ((await operator.waitingPrograms()) !== program) throw new Error('its program is another one')
  }

  return [
    step('installs the package with settings of their own, and it is ready', async () => {
      for (const [name, file] of Object.entries(packages))
        await copyFile(file, pathOn(machine, `/root/${name}.deb`))
      await operator.writeSettings()
      await machine.must('apt-get', 'update')
      const startedMs = performance.now()
      await operator.install('/root/present.deb')
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
      waiting = await operator.startWaiting()
      program = await operator.waitingPrograms()
      const before = await pid()
      await machine.must('systemctl', 'restart', 'sandbox-jobs.target')
      if ((await pid()) === before) throw new Error('the service was not restarted')
      await goesOn()
    }),
    step('kills the service, which starts again and continues the run', async () => {
      const before = await pid()
      await machine.must('systemctl', 'kill', '--kill-who=main', '--signal=KILL', 'sandbox-jobs.service')
      await goesOn()
      if ((await pid()) === before) throw new Error('the service was not killed')
    }),
    step('upgrades the package, which restarts the service and keeps settings and run', async () => {
      const before = await pid()
      await operator.install('/root/next.deb')
      if ((await pid()) === before) throw new Error('the service was not restarted')
      await goesOn()
      await operator.countWords()
    }),
  ]
}
