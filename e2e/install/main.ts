import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { suites } from '../first-hour/debian-root.ts'
import { timeSteps } from '../first-hour/step.ts'
import { freePort } from '../main-job/service.ts'
import { Machine } from './machine.ts'
import { Operator, ownName } from './operator.ts'
import { packageSteps } from './package-steps.ts'
import { buildPackages } from './packages.ts'
import { removalSteps } from './removal-steps.ts'
import { unitSteps } from './unit-steps.ts'

/*
 * Builds the Debian package of the committed tree, and installs, upgrades, removes and purges it on a new Debian with systemd; then
 * the units of a clone. Prints the time of each step. Needs root, systemd-nspawn, mmdebstrap and a network. --suite for one release.
 */
const { values } = parseArgs({ options: { suite: { type: 'string', multiple: true, default: suites } } })
if (values.suite.some((suite) => !suites.includes(suite)))
  fail(`usage: npm run install-tests -- [--suite ${suites.join('|')}]`)
if (!existsSync('/usr/bin/systemd-nspawn') || !existsSync('/usr/bin/mmdebstrap'))
  fail(
    'needs systemd-nspawn and mmdebstrap: apt-get install --no-install-recommends systemd-container mmdebstrap',
  )
// The machine shares network and control groups with this one, and a service has names there from its data folder.
if (existsSync(`/run/netns/sandbox-jobs-${ownName}`) || existsSync(`/sys/class/net/sbj-${ownName}`))
  fail('stop the service with the data folder /var/lib/sandbox-jobs first: sandbox down')

const folder = await mkdtemp('/var/tmp/install-packages-')
const failed: string[] = []
const readySeconds: Record<string, number> = {}
let cases = 0
try {
  const packages = await buildPackages(folder)
  for (const suite of values.suite) {
    console.log(`${suite}: ${packages.present.split('/').at(-1)}`)
    const machine = await Machine.start(suite)
    try {
      const operator = new Operator(machine, await freePort())
      const ready = (ms: number) => {
        readySeconds[suite] = Number((ms / 1000).toFixed(1))
      }
      const steps = [
        ...packageSteps(operator, packages, ready),
        ...removalSteps(operator),
        ...unitSteps(operator),
      ]
      cases += steps.length
      failed.push(...(await timeSteps(steps)).map((name) => `${suite}: ${name}`))
    } finally {
      await machine.dispose()
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log(
  JSON.stringify({
    suite: 'install-tests',
    cases,
    failed: failed.length,
    failed_names: failed,
    ready_seconds: readySeconds,
  }),
)
process.exitCode = failed.length === 0 ? 0 : 1

function fail(text: string): never {
  console.error(text)
  process.exit(2)
}
