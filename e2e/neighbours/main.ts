import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { percentile } from '../../bench/harness/percentile.ts'
import { startService } from '../main-job/service.ts'
import { AttackerProcess } from './attacker-process.ts'
import { attacks } from './attacks/all.ts'
import { type Hostile, makeHostile, makeQuiet } from './companies.ts'
import { smallDataDisk } from './data-disk.ts'
import { type Phase, runWorkload } from './quiet.ts'

/*
 * A hostile company with every right that a company can have exhausts what it can, one resource after another and then all at
 * once, while a quiet company works. Nothing of the quiet company may fail, and its p99 from submission to result must stay
 * below three times its idle value.
 *
 * Attackers are processes of low priority: they represent remote clients, which use no processor time of this machine.
 */
const usage = 'npm run neighbours -- [--seconds N] [--attack NAME]...'
const maxRatio = 3
const warmUpMs = 2000

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, attack: { type: 'string', multiple: true } },
})
const seconds = Number(values.seconds)
const chosen = values.attack ?? [...attacks.map(({ name }) => name), 'all']
const known = new Set([...attacks.map(({ name }) => name), 'all'])
if (!(seconds > 0) || !chosen.every((name) => known.has(name))) {
  console.error(`usage: ${usage}\nattacks: ${[...known].join(', ')}`)
  process.exit(2)
}

const service = await startService({ SANDBOX_RUN_SLOTS: '16' }, smallDataDisk)
const failed: string[] = []
try {
  const quiet = await makeQuiet(service)
  const hostile = await makeHostile(service)
  await runWorkload(service, quiet, 5)
  // Phases like the others, each with one build: runs during that build are the slowest.
  const idle = joined(await runWorkload(service, quiet, seconds), await runWorkload(service, quiet, seconds))
  const idleP99 = percentile(idle.resultMs, 0.99)
  report('idle', idle, idleP99, {})
  if (idle.failures.length > 0) failed.push('idle')
  for (const name of chosen) {
    const wanted = name === 'all' ? attacks.map((attack) => attack.name) : [name]
    const attackers = wanted.map((attack) => new AttackerProcess(attack, hostile))
    await sleep(warmUpMs)
    const phase = await runWorkload(service, quiet, seconds)
    const answers = Object.assign({}, ...(await Promise.all(attackers.map((attacker) => attacker.stop()))))
    if (report(name, phase, idleP99, answers)) failed.push(name)
    await cancelRuns(hostile)
    await cancelBuilds(hostile)
  }
  if (failed.length > 0) await keepLogs(service.dataDir)
} finally {
  await service.stop()
}
console.log(
  JSON.stringify({
    suite: 'neighbours',
    cases: chosen.length,
    failed: failed.length,
    seconds,
    failed_names: failed,
  }),
)
process.exitCode = failed.length === 0 ? 0 : 1

function joined(one: Phase, other: Phase): Phase {
  return {
    resultMs: [...one.resultMs, ...other.resultMs],
    loginMs: [...one.loginMs, ...other.loginMs],
    buildMs: [...one.buildMs, ...other.buildMs],
    failures: [...one.failures, ...other.failures],
  }
}

/** Prints a row; returns whether the phase failed. */
function report(name: string, phase: Phase, idleP99: number, answers: object): boolean {
  const p99 = percentile(phase.resultMs, 0.99)
  const ratio = p99 / idleP99
  const isFailed = phase.failures.length > 0 || !(ratio <= maxRatio)
  const shown = (times: number[], share: number) => String(Math.round(percentile(times, share)))
  console.log(
    `${isFailed ? 'FAILED' : 'held  '} ${name.padEnd(12)} ${String(phase.resultMs.length).padStart(4)} runs, ` +
      `p50 ${shown(phase.resultMs, 0.5)} ms, p99 ${shown(phase.resultMs, 0.99)} ms (${ratio.toFixed(2)} x idle); ` +
      `login p99 ${shown(phase.loginMs, 0.99)} ms; build ${shown(phase.buildMs, 1)} ms; ` +
      `attack ${JSON.stringify(answers)}`,
  )
  for (const [failure, times] of counted(phase.failures)) console.log(`       ${times} x ${failure}`)
  return isFailed
}

function counted(failures: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const failure of failures) counts.set(failure, (counts.get(failure) ?? 0) + 1)
  return counts
}

/** Cancels queued runs of the attack, so that they do not affect the next one. */
async function cancelRuns({ url, token }: Hostile): Promise<void> {
  const client = createClient({ baseUrl: url, token })
  for (;;) {
    const query = { page_size: 100, status: ['queued', 'starting', 'running', 'cancel_requested'] } as const
    const { items } = await client.call(allRoutes.listVisibleRuns, {
      query: { ...query, status: [...query.status] },
    })
    if (items.length === 0) return
    for (const { id, chatroom_id } of items) {
      await client.call(allRoutes.cancelRun, { params: { cid: chatroom_id, rid: id } }).catch(() => undefined)
    }
    await sleep(200)
  }
}

async function cancelBuilds({ url, token, environmentId: id }: Hostile): Promise<void> {
  const client = createClient({ baseUrl: url, token })
  for (let isAny = true; isAny; ) {
    isAny = false
    const query = { page_size: 100 }
    const versions = await client.call(allRoutes.listEnvironmentVersions, { params: { id }, query })
    for (const { id: vid } of versions.items) {
      const { items } = await client.call(allRoutes.listBuilds, { params: { id, vid } })
      for (const { id: aid } of items.filter(({ terminal_class }) => terminal_class === null)) {
        isAny = true
        await client.call(allRoutes.cancelBuild, { params: { id, vid, aid } }).catch(() => undefined)
      }
    }
    await sleep(200)
  }
}

async function keepLogs(dataDir: string): Promise<void> {
  const kept = join(tmpdir(), 'neighbours-logs')
  await cp(join(dataDir, 'logs'), kept, { recursive: true, force: true })
  console.log(`the service's logs: ${kept}`)
}
