import {
  type LimitChanges,
  type LimitName,
  limitMax,
} from '@sandbox-jobs/contract/operator/company-limits.ts'
import { setCompany, showCompany } from '@sandbox-jobs/server/main/operator/operator-company.ts'
import { emptyQueueHere } from '@sandbox-jobs/server/main/operator/operator-runs.ts'
import { Command, Option } from 'commander'
import { sizeUpTo } from '../../../args/byte-size.ts'
import { reasonText } from '../../../args/reason-text.ts'
import { wholeNumberUpTo } from '../../../args/whole-number.ts'
import { CliError, exitCodes } from '../../../failure.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'
import { companyBudgetCommand } from '../billing/company-budget.ts'

interface Limit {
  flag: string
  name: LimitName
  what: string
  isSize?: true
}

const limits: Limit[] = [
  { flag: '--run-concurrency', name: 'run_concurrency_limit', what: 'concurrent runs' },
  {
    flag: '--run-timeout-bound',
    name: 'run_timeout_bound_seconds',
    what: 'seconds; runs with a longer timeout start one at a time',
  },
  { flag: '--queued-runs', name: 'queued_run_limit', what: 'queued runs' },
  { flag: '--active-builds', name: 'active_build_limit', what: 'concurrent builds' },
  { flag: '--queued-builds', name: 'queued_build_limit', what: 'queued builds' },
  {
    ...{ flag: '--kept-bytes', name: 'kept_bytes_limit', isSize: true },
    what: 'bytes that it may store, as 500g',
  },
  {
    flag: '--network-cache-days',
    name: 'network_cache_days',
    what: 'days that cached build steps with a network are reused',
  },
  { flag: '--environments', name: 'active_environment_limit', what: 'active environments' },
  {
    flag: '--retained-versions',
    name: 'capacity_retained_version_limit',
    what: 'versions that keep an image',
  },
  {
    flag: '--timeout-ceiling',
    name: 'timeout_ceiling_seconds',
    what: 'longest timeout of a task, in seconds',
  },
]

interface Options {
  json?: boolean
  egress?: 'on' | 'off'
  [option: string]: unknown
}

export const operatorCompanyCommand = (): Command =>
  new Command('company')
    .description('show or change the limits and the budget of one company, or end what it has waiting')
    .addCommand(setCommand())
    .addCommand(showCommand())
    .addCommand(emptyQueueCommand())
    .addCommand(companyBudgetCommand())

function setCommand(): Command {
  const command = new Command('set')
    .description('change the given limits')
    .argument('<company>', 'company, by name or id')
  const options = limits.map(({ flag, name, what, isSize }) => {
    const max = limitMax[name]
    return isSize
      ? new Option(`${flag} <size>`, what).argParser(sizeUpTo(max))
      : new Option(`${flag} <number>`, `${what}, 1 to ${max}`).argParser(wholeNumberUpTo(max))
  })
  for (const option of options) command.addOption(option)
  return command
    .addOption(new Option('--egress <switch>', 'whether runs have a network').choices(['on', 'off']))
    .option('--json', 'print one JSON document')
    .action((company: string, given: Options) => {
      const changes: LimitChanges = Object.fromEntries(
        options.flatMap((option, at) => {
          const value = given[option.attributeName()]
          return value === undefined ? [] : [[limits[at]?.name ?? '', value]]
        }),
      )
      if (given.egress) changes.runtime_egress_enabled = given.egress === 'on'
      return tell(company, given, async () => {
        if (Object.keys(changes).length > 0) return setCompany(company, changes)
        throw new CliError('Name at least one limit to change.', {
          hint: 'sandbox operator company set --help lists the limits.',
          code: 'cli_company_nothing',
          exitCode: exitCodes.usage,
        })
      })
    })
}

const showCommand = (): Command =>
  new Command('show')
    .description('show the limits')
    .argument('<company>', 'company, by name or id')
    .option('--json', 'print one JSON document')
    .action((company: string, options: Options) => tell(company, options, () => showCompany(company)))

const emptyQueueCommand = (): Command =>
  new Command('empty-queue')
    .description('end the runs of a company that wait; runs at work go on')
    .argument('<company>', 'company, by name or id')
    .requiredOption('--reason <text>', 'reason, for the audit log', reasonText)
    .option('--json', 'print one JSON document')
    .action((company: string, { reason, ...options }: Options & { reason: string }) =>
      withLocalService(
        options,
        () => emptyQueueHere(company, reason),
        (waiting) => {
          if (waiting === undefined) throw unknown(company)
          return { text: `${waiting} waiting runs end within seconds.\n`, document: { company, waiting } }
        },
      ),
    )

const unknown = (company: string): CliError =>
  new CliError(`There is no company ${JSON.stringify(company)}.`, {
    hint: 'Use its name in the file of sandbox admin apply.',
    code: 'cli_company_unknown',
  })

const tell = (company: string, options: Options, work: () => ReturnType<typeof showCompany>) =>
  withLocalService({ json: options.json === true }, work, (policy) => {
    if (!policy) throw unknown(company)
    const rows = Object.entries(policy).map(([name, value]) => [
      name,
      value === null ? 'none' : String(value),
    ])
    return { text: table(['SETTING', 'VALUE'], rows), document: policy }
  })
