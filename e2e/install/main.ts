import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { suites } from '../first-hour/debian-root.ts'
import { type Step, timeSteps } from '../first-hour/step.ts'
import { freePort } from '../main-job/service.ts'
import { Engine } from './compose/engine.ts'
import { composeSteps } from './compose/steps.ts'
import { Machine } from './machine.ts'
import { Operator, ownName } from './operator.ts'
import { packageSteps } from './package-steps.ts'
import { buildPackages } from './packages.ts'
import { removalSteps } from './removal-steps.ts'
import { unitSteps } from './unit-steps.ts'
import { upgradeSteps } from './upgrade-steps.ts'
import { WaitingRun } from './waiting-run.ts'
import { wayBackSteps } from './way-back-steps.ts'

/*
 * Builds the Debian package of the committed tree and two that upgrade it. Installs, upgrades, takes back, removes and purges them on a
 * new Debian with systemd; then the units of a clone. Then the container image, on a container engine. Prints the time of each step. Needs root,
 * systemd-nspawn, mmdebstrap, docker and a network. --suite for one of them.
 */
const places = [...suites, 'compose']
const { values } = parseArgs({ options: { suite: { type: 'string', multiple: true, default: places } } })
if (values.suite.some((suite) => !places.includes(suite)))
  fail(`usage: npm run install-tests -- [--suite ${places.join('|')}]`)
const tools = ['bin/systemd-nspawn', 'bin/mmdebstrap', 'sbin/dockerd', 'bin/docker-compose']
if (!tools.every((tool) => existsSync(`/usr/${tool}`))) {
  const from = 'systemd-container mmdebstrap docker.io docker-compose tini'
  fail(`needs ${tools.join(', ')}: apt-get install --no-install-recommends ${from}`)
}
// The machine shares network and control groups with this one, and a service has names there from its data folder.
if (existsSync(`/run/sandbox-jobs-network/${ownName}`) || existsSync(`/sys/class/net/sbj-${ownName}`))
  fail('stop the service with the data folder /var/lib/sandbox-jobs first: sandbox down')

const folder = await mkdtemp('/var/tmp/install-packages-')
const failed: string[] = []
const readySeconds: Record<string, number> = {}
let cases = 0
try {
  const packages = await buildPackages(folder)
  for (const suite of values.suite) {
    console.log(`${suite}: ${packages.former.split('/').at(-1)}`)
    if (suite === 'compose') {
      const engine = await Engine.start()
      try {
        await trySteps(suite, composeSteps(engine, packages.former))
      } finally {
        await engine.dispose()
      }
      continue
    }
    const machine = await Machine.start(suite)
    try {
      const operator = new Operator(machine, await freePort())
      const run = new WaitingRun(operator)
      const readyMs = (ms: number) => {
        readySeconds[suite] = Number((ms / 1000).toFixed(1))
      }
      const steps = [
        ...packageSteps(operator, { packages, run, readyMs }),
        ...upgradeSteps(operator, run, await freePort()),
        ...wayBackSteps(operator, run),
        ...removalSteps(operator, run),
        ...unitSteps(operator),
      ]
      await trySteps(suite, steps)
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

async function trySteps(suite: string, steps: readonly Step[]): Promise<void> {
  cases += steps.length
  failed.push(...(await timeSteps(steps)).map((name) => `${suite}: ${name}`))
}

function fail(text: string): never {
  console.error(text)
  process.exit(2)
}
