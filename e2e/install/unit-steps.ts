import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { requireParts, type Step } from '../first-hour/step.ts'
import { checkout } from '../main-job/service.ts'
import { pathOn } from './machine.ts'
import type { Operator } from './operator.ts'
import { socketSteps } from './socket-steps.ts'

const clone = '/sandbox-jobs'
const installUnit = ['./sandbox', 'operator', 'install-unit']

/** The units of a clone, on a machine that has the Debian packages that the service needs. */
export function unitSteps(operator: Operator): Step[] {
  const { machine, port } = operator
  const step = (does: string, run: () => Promise<void>): Step => ({ person: 'operator', does, run })
  const inClone = (...argv: string[]) => machine.command('env', '-C', clone, `SANDBOX_PORT=${port}`, ...argv)
  const must = async (argv: string[], ...parts: (string | RegExp)[]) => {
    const { code, text } = await inClone(...argv)
    if (code !== 0) throw new Error(`${argv.join(' ')} ends with ${code}:\n${text}`)
    requireParts(text, ...parts)
  }
  return [
    step('prepares a clone', async () => {
      // Files that the installers make with npm and a compiler; the suite first-hour runs those.
      for (const made of ['node_modules', 'server/native-programs/built']) {
        const to = pathOn(machine, join(clone, made))
        await cp(join(checkout, made), to, { recursive: true, verbatimSymlinks: true })
      }
      await must(['install/service-user.sh'])
      await must(['./sandbox', 'doctor'])
    }),
    step('installs the units of the clone, with the settings of the shell', () =>
      must(installUnit, `start ${clone}/sandbox`, 'and has 1 of this shell', 'systemctl start'),
    ),
    step('starts the target, which is ready', async () => {
      await machine.must('systemctl', 'start', 'sandbox-jobs.target')
      await operator.untilReady()
      const text = await machine.must('systemd-analyze', 'verify', '--man=no', 'sandbox-jobs.service')
      if (text.includes('sandbox-jobs')) throw new Error(text)
    }),
    step('installs them again, which changes nothing', () => must(installUnit, 'was not changed')),
    ...socketSteps(operator),
    step('is refused for a program that another user can change', async () => {
      await machine.must('chown', 'sandbox-jobs', `${clone}/sandbox`)
      const { code, text } = await inClone(...installUnit)
      await machine.must('chown', 'root', `${clone}/sandbox`)
      if (code !== 2) throw new Error(`ends with ${code}`)
      requireParts(text, `${clone}/sandbox can be changed by other users`)
    }),
    step('removes the units, which stops the service', async () => {
      await must([...installUnit, '--remove'], 'is stopped')
      await must(['./sandbox', 'down', '--end-work'], 'sandboxes ended: 0')
      await operator.requireNothingLeft()
    }),
  ]
}
