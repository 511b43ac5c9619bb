import { budgetMonthPattern } from '@sandbox-jobs/contract/operator/company-budget.ts'
import {
  type CompanyBudget,
  readAmount,
  setCompanyBudget,
  showBudget,
} from '@sandbox-jobs/server/main/operator/operator-company.ts'
import { Command, InvalidArgumentError, Option } from 'commander'
import { CliError, exitCodes } from '../../../failure.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  month?: string
  from?: string
  none?: boolean
  json?: boolean
}

const month = (value: string): string => {
  if (new RegExp(budgetMonthPattern).test(value)) return value
  throw new InvalidArgumentError('It must be a month like 2030-01.')
}

const amount = (value: string): number => {
  const micro = readAmount(value)
  if (micro !== undefined) return micro
  throw new InvalidArgumentError('It must be an amount like 100 or 99.50, with at most six decimals.')
}

export const companyBudgetCommand = (): Command =>
  new Command('budget')
    .description('show or set what a company may spend in a month')
    .argument('<company>', 'company, by name or id')
    .argument('[amount]', 'US dollars for each month, from this one on', amount)
    .addOption(
      new Option('--month <month>', 'for that month only').argParser(month).conflicts(['from', 'none']),
    )
    .addOption(
      new Option('--from <month>', 'for that month and all later ones').argParser(month).conflicts(['none']),
    )
    .option('--none', 'remove all budgets: no limit')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nA month (UTC) without a budget of its own has the latest one that holds for all later months.' +
        '\nA company that has budgets, but none for the current month, may queue nothing that has a price.',
    )
    .action((company: string, micro: number | undefined, options: Options) =>
      withLocalService(options, () => work(company, micro, options), render(company)),
    )

function work(company: string, micro: number | undefined, options: Options) {
  const isDated = options.month !== undefined || options.from !== undefined
  if (options.none === true ? micro !== undefined : micro === undefined && isDated) {
    throw new CliError('Give either an amount or --none.', {
      hint: 'sandbox operator company budget --help explains both.',
      code: 'cli_budget_amount',
      exitCode: exitCodes.usage,
    })
  }
  if (options.none === true) return setCompanyBudget(company, 'none')
  if (micro === undefined) return showBudget(company)
  return setCompanyBudget(company, {
    month: options.month ?? options.from,
    recurring: options.month === undefined,
    amountMicro: micro,
  })
}

const render = (company: string) => (budget: CompanyBudget | undefined) => {
  if (!budget) {
    throw new CliError(`There is no company ${JSON.stringify(company)}.`, {
      hint: 'Use its name in the file of sandbox admin apply.',
      code: 'cli_company_unknown',
    })
  }
  const rows = budget.budgets.map((each) => [each.month, each.recurring ? 'and later' : 'only', each.amount])
  const use = table(
    ['MONTH', 'LIMIT', 'HELD', 'SPENT'],
    [[budget.month, budget.limit ?? (rows.length > 0 ? 'no budget' : 'none'), budget.held, budget.spent]],
  )
  const budgets = rows.length > 0 ? `\n${table(['BUDGET OF', 'HOLDS', 'USD'], rows)}` : ''
  return { text: `${use}${budgets}`, document: budget }
}
