import {
  type LoggedService,
  type LogLevel,
  loggedServices,
  logLevels,
} from '@sandbox-jobs/contract/operator/service-log.ts'
import type { LinesWanted, LogLine } from '@sandbox-jobs/server/main/operator/watch/service-logs.ts'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { timeOrAge } from '../../args/time-or-age.ts'
import { wholeNumberUpTo } from '../../args/whole-number.ts'
import { CliError, describeFailure, exitCodes } from '../../failure.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { paint } from '../../output/paint.ts'
import { createReporter } from '../../output/reporter.ts'
import { explainRefusal } from '../../session/local-service.ts'
import { type LogOptions, logsCommand, showRunLog } from '../runs/logs.ts'

const linesMax = 100_000
const linesDefault = 200

interface Options extends LogOptions {
  service?: LoggedService[]
  since?: Date
  lines?: number
  level?: LogLevel
}

/** `sandbox logs` of the machine of the service: of a run as elsewhere, or with `--service` of the processes of this machine. */
export const machineLogsCommand = (): Command =>
  logsCommand('[run]')
    .description('print the log of a run, or with --service of the processes of this machine')
    .addOption(
      new Option(
        '--service <names>',
        `in place of a run: the logs of processes of this machine, with commas between them: ${loggedServices.join(', ')}, all`,
      ).argParser(servicesOf),
    )
    .addOption(
      new Option('--since <time>', 'with --service: lines from then on, as 10m, 2h, 3d or a time').argParser(
        timeOrAge,
      ),
    )
    .addOption(
      new Option(
        '-n, --lines <number>',
        `with --service: the newest lines (default: ${linesDefault}; with --since all, up to ${linesMax})`,
      ).argParser(wholeNumberUpTo(linesMax)),
    )
    .addOption(
      new Option('--level <level>', 'with --service: the lowest level (default: all lines)').choices(
        logLevels,
      ),
    )
    .action(async (run: string | undefined, options: Options) => {
      if (run !== undefined && options.service === undefined) return showRunLog(run, options)
      try {
        if (run !== undefined || options.service === undefined) throw wrongUsage
        await showServiceLogs(options.service, options)
      } catch (error) {
        const failure = describeFailure(error, 'this machine')
        createReporter(options.json === true).failure(failure)
        process.exitCode = failure.exitCode
      }
    })

const wrongUsage = new CliError('Name either a run or, with --service, processes of this machine.', {
  hint: 'sandbox logs --service api, or sandbox logs RUN',
  exitCode: exitCodes.usage,
})

function servicesOf(text: string): LoggedService[] {
  if (text === 'all') return [...loggedServices]
  return text.split(',').map((name) => {
    const service = loggedServices.find((each) => each === name)
    if (service) return service
    throw new InvalidArgumentError(`It must be all, or of ${loggedServices.join(', ')}.`)
  })
}

async function showServiceLogs(services: LoggedService[], options: Options): Promise<void> {
  const { since, level = 'trace', lines, json } = options
  const limit = lines ?? (since ? linesMax : linesDefault)
  const wanted: LinesWanted = { services, level, since, limit }
  const { serviceLogs } = await import('@sandbox-jobs/server/main/operator/watch/service-logs.ts')
  const logs = await serviceLogs(wanted)
  if (!logs.ok) throw explainRefusal(logs)
  const { newest, followed } = logs.value
  const show = (line: LogLine) => void process.stdout.write(`${json ? jsonOf(line) : textOf(line)}\n`)
  for (const line of newest) show(line)
  if (newest.length === linesMax) process.stderr.write(`There are more: the newest ${linesMax} are shown.\n`)
  if (options.follow) {
    const end = new AbortController()
    process.once('SIGINT', () => end.abort())
    for await (const line of followed.lines(end.signal)) show(line)
  }
  followed.close()
}

const jsonOf = ({ at, service, level, text, fields }: LogLine): string =>
  JSON.stringify({ ...fields, at: at?.toISOString() ?? null, service, level, text })

const colours = { trace: 'dim', debug: 'dim', warn: 'yellow', error: 'red', fatal: 'red' } as const
const widths = { service: 10, level: 5 }

function textOf({ at, service, level, text, fields }: LogLine): string {
  const colour = level in colours ? colours[level as keyof typeof colours] : undefined
  const named = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`)
  const words = [
    at?.toISOString() ?? ''.padEnd(24),
    service.padEnd(widths.service),
    level.padEnd(widths.level),
  ]
  const line = [...words, ...[text, ...named].map((part) => escapeControls(part))].join(' ')
  return colour ? paint(line, colour) : line
}

function valueText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'message' in value) return JSON.stringify(value.message)
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value
  return JSON.stringify(value)
}
