import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { percentile } from '../../bench/harness/measure/percentile.ts'
import { startService } from '../main-job/service.ts'
import type { Answers } from './attack.ts'
import { AttackerProcess } from './attacker-process.ts'
import { attacks } from './attacks/all.ts'
import { makeHostile, makeQuiet } from './companies.ts'
import { smallDataDisk } from './data-disk.ts'
import { endWork } from './end-work.ts'
import { stallMs } from './probe.ts'
import { type Phase, runWorkload } from './quiet.ts'

/*
 * A hostile company with every right that a company can have exhausts what it can, one resource after another and then all at
 * once, while a quiet company works. Nothing of the quiet company may fail, new clients get an answer within a second, and the
 * company's p99 from submission to result must stay below three times its idle value. Idle phases before and after the attacks together give that value: each phase has at
 * least the same number of runs, and one build, during which runs are the slowest.
 *
 * Attackers are processes of low priority: they represent remote clients, which use no processor time of this machine. On one that is
 * busy with something else they would get none: there `--priority` names a higher one.
 */
const usage = 'npm run neighbours -- [--seconds N] [--runs N] [--priority N] [--attack NAME]...'
const maxRatio = 3
const warmUpMs = 2000

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    runs: { type: 'string', default: '300' },
    priority: { type: 'string', default: '19' },
    attack: { type: 'string', multiple: true },
  },
})
const length = { seconds: Number(values.seconds), runs: Number(values.runs) }
const priority = Number(values.priority)
const chosen = values.attack ?? [...attacks.map(({ name }) => name), 'all']
const known = new Set([...attacks.map(({ name }) => name), 'all'])
if (
  !(length.seconds > 0) ||
  !(length.runs > 0) ||
  !(priority >= 0 && priority <= 19) ||
  !chosen.every((name) => known.has(name))
) {
  console.error(`usage: ${usage}\nattacks: ${[...known].join(', ')}`)
  process.exit(2)
}

const service = await startService({ SANDBOX_RUN_SLOTS: '16' }, smallDataDisk)
const failed: string[] = []
try {
  const quiet = await makeQuiet(service)
  const hostile = await makeHostile(service)
  await runWorkload(service, quiet, { seconds: 5, runs: 1 })
  const before = await runWorkload(service, quiet, length)
  report('idle before', before)
  const attacked: { name: string; phase: Phase }[] = []
  for (const name of chosen) {
    const wanted = name === 'all' ? attacks.map((attack) => attack.name) : [name]
    const attackers: AttackerProcess[] = []
    for (const attack of wanted) {
      const attacker = new AttackerProcess(attack, hostile, priority)
      attackers.push(attacker)
      await attacker.attacking()
    }
    await sleep(warmUpMs)
    const phase = await runWorkload(service, quiet, length)
    const answers = await Promise.all(attackers.map((attacker) => attacker.stop()))
    report(name, phase, answers.reduce(sum))
    attacked.push({ name, phase })
    await endWork(service, hostile)
  }
  const after = await runWorkload(service, quiet, length)
  report('idle after', after)
  const idleP99 = percentile([...before.resultMs, ...after.resultMs], 0.99)
  for (const [name, { failures }] of Object.entries({ before, after })) {
    if (failures.length > 0) failed.push(`idle ${name}`)
  }
  for (const { name, phase } of attacked) if (!isHeld(name, phase, idleP99)) failed.push(name)
  if (failed.length > 0) await keepLogs(service.dataDir)
} finally {
  // The runs of an attack that did not come to its end would keep the data folder in use.
  await service.sandbox('down', '--end-work').finally(() => service.stop())
}
console.log(
  JSON.stringify({
    suite: 'neighbours',
    cases: chosen.length,
    failed: failed.length,
    ...length,
    failed_names: failed,
  }),
)
process.exitCode = failed.length === 0 ? 0 : 1

/** Prints what a phase measured. */
function report(name: string, phase: Phase, answers: object = {}): void {
  const shown = (times: number[], share: number) => String(Math.round(percentile(times, share)))
  const { resultMs, loginMs, buildMs, healthMs, failures } = phase
  console.log(
    `${name.padEnd(12)} ${String(resultMs.length).padStart(4)} runs, p50 ${shown(resultMs, 0.5)} ms, ` +
      `p90 ${shown(resultMs, 0.9)} ms, p99 ${shown(resultMs, 0.99)} ms, slowest ${shown(resultMs, 1)} ms; ` +
      `login p99 ${shown(loginMs, 0.99)} ms; build ${shown(buildMs, 1)} ms; ` +
      `health p99 ${shown(healthMs, 0.99)} ms, slowest ${shown(healthMs, 1)} ms; attack ${JSON.stringify(answers)}`,
  )
  for (const [failure, times] of counted(failures)) console.log(`       ${times} x ${failure}`)
}

function sum(answers: Answers, others: Answers): Answers {
  for (const [key, times] of Object.entries(others)) answers[key] = (answers[key] ?? 0) + times
  return answers
}

/** Prints and returns whether the quiet company was left alone in that phase. */
function isHeld(name: string, { resultMs, healthMs, failures }: Phase, idleP99: number): boolean {
  const ratio = percentile(resultMs, 0.99) / idleP99
  const stalls = healthMs.filter((ms) => ms > stallMs).length
  const held = failures.length === 0 && ratio <= maxRatio && stalls === 0
  console.log(
    `${held ? 'held  ' : 'FAILED'} ${name.padEnd(12)} p99 ${ratio.toFixed(2)} x idle, ${stalls} of ${healthMs.length} probes stalled`,
  )
  return held
}

function counted(failures: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const failure of failures) counts.set(failure, (counts.get(failure) ?? 0) + 1)
  return counts
}

async function keepLogs(dataDir: string): Promise<void> {
  const kept = join(tmpdir(), 'neighbours-logs')
  await cp(join(dataDir, 'logs'), kept, { recursive: true, force: true })
  console.log(`the service's logs: ${kept}`)
}
