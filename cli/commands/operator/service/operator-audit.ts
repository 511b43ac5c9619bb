import type { ChainPosition } from '@sandbox-jobs/contract/audit/chain-check.ts'
import { verifyAuditLogs } from '@sandbox-jobs/server/main/operator/operator-audit.ts'
import { Command, Option } from 'commander'
import { parseHead, showVerified } from '../../../audit/show-verified.ts'
import { CliError, exitCodes } from '../../../failure.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  company?: string
  head?: ChainPosition
  json?: boolean
}

export const operatorAuditCommand = (): Command =>
  new Command('audit')
    .description(
      'verify the audit logs of all companies and of the deployment; exits with 1 if one is broken',
    )
    .option('--company <company>', 'only the log of this company, by id or name')
    .addOption(
      new Option(
        '--head <sequence:hash>',
        'a head that was shown earlier and has to be in the log',
      ).argParser(parseHead),
    )
    .option('--json', 'print one JSON document')
    .action(({ company, head, ...options }: Options) => {
      if (head && company === undefined)
        throw new CliError('A head is of one log.', {
          hint: 'Name the company with --company.',
          code: 'cli_usage',
          exitCode: exitCodes.usage,
        })
      return withLocalService(
        options,
        () => verifyAuditLogs(company, head && [head]),
        (logs) => {
          if (!logs) {
            process.exitCode = exitCodes.failed
            return { text: `There is no company ${company}.\n`, document: { items: [] } }
          }
          if (logs.some(({ broken }) => broken)) process.exitCode = exitCodes.failed
          return { text: showVerified(logs), document: { items: logs } }
        },
      )
    })
