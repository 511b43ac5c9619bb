import type { ServiceOverview } from '@sandbox-jobs/server/main/operator/watch/service-overview.ts'
import { Command, Option } from 'commander'
import { wholeNumberUpTo } from '../../args/whole-number.ts'
import { describeFailure } from '../../failure.ts'
import { showRefreshed } from '../../output/refreshed.ts'
import { createReporter } from '../../output/reporter.ts'
import { bytesText, durationText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import { explainRefusal, withLocalService } from '../../session/local-service.ts'

interface Options {
  once?: boolean
  delay: number
  json?: boolean
}

export const topCommand = (): Command =>
  new Command('top')
    .description('show what runs, waits and uses this machine, until Ctrl-C; it names companies')
    .option('--once', 'show it once')
    .addOption(
      new Option('-d, --delay <seconds>', 'time between two looks')
        .argParser(wholeNumberUpTo(3600))
        .default(2),
    )
    .option('--json', 'print one JSON document, or with refresh one per line')
    .action(async ({ once, delay, json }: Options) => {
      const { readOverview } = await import('@sandbox-jobs/server/main/operator/watch/service-overview.ts')
      const options = { json: json === true }
      if (once)
        return withLocalService(options, readOverview, (now) => ({ text: textOf(now), document: now }))
      await showRefreshed(delay * 1000, async () => {
        const now = await readOverview()
        if (now.ok) return json ? `${JSON.stringify(now.value)}\n` : textOf(now.value)
        // The service may come back: the next look shows it.
        createReporter(options.json).failure(describeFailure(explainRefusal(now), 'this machine'))
        return ''
      })
    })

const seconds = (value: number) => durationText(value * 1000)

/** One screen. */
function textOf(now: ServiceOverview): string {
  const { run_slots, build_slots, sandbox_memory, machine, disk, waiting, warm_starts } = now
  const queued = waiting.queued_alone + waiting.queued_beside_others
  const oldest = Math.max(waiting.oldest_alone, waiting.oldest_beside_others)
  const absent = [...(now.worker ? [] : ['the worker']), ...(now.host_agent ? [] : ['the host agent'])]
  const used = table(
    [now.at.toISOString().slice(0, 19), 'USED', 'OF', 'WAITING', 'OLDEST'],
    [
      ['runs', String(run_slots.used), String(run_slots.total), String(queued), seconds(oldest)],
      [
        ...['builds', String(build_slots.used), String(build_slots.total)],
        ...[String(waiting.builds_queued), seconds(waiting.oldest_build)],
      ],
      ['memory of runs', bytesText(sandbox_memory.used), bytesText(sandbox_memory.total), '', ''],
      [
        ...['memory', bytesText(machine.memory_total - machine.memory_available)],
        ...[bytesText(machine.memory_total), '', ''],
      ],
      ['load', machine.load.toFixed(1), `${machine.processors} processors`, '', ''],
      [
        'disk',
        bytesText(disk.total - disk.free),
        `${bytesText(disk.total)}, ${bytesText(disk.floor)} stay free`,
        '',
        '',
      ],
    ],
  )
  const rest = [
    `webhooks ${waiting.webhooks_waiting}, e-mails ${waiting.mails_waiting}, audit log ${seconds(waiting.audit_lag)}, locks of the database ${waiting.lock_waits}`,
    ...(warm_starts ? [`warm starts ${warm_starts.hits} of ${warm_starts.hits + warm_starts.misses}`] : []),
    ...(absent.length > 0 ? [`${absent.join(' and ')}: no answer`] : []),
  ]
  const companies = now.companies.map((company) => [
    ...[company.name, String(company.runs_active), String(company.runs_queued)],
    ...[seconds(company.oldest_queued_run), String(company.builds_active), String(company.builds_queued)],
  ])
  const runs = now.runs.map(({ id, company, state, profile, seconds: age }) => [
    ...[id, company, state, profile, seconds(age)],
  ])
  const tables = [
    ...(companies.length > 0
      ? [table(['COMPANY', 'RUNS', 'QUEUED', 'OLDEST', 'BUILDS', 'QUEUED'], companies)]
      : []),
    ...(runs.length > 0 ? [table(['RUN', 'COMPANY', 'STATE', 'PROFILE', 'FOR'], runs)] : []),
  ]
  return [used, `${rest.join('\n')}\n`, ...tables].join('\n')
}
