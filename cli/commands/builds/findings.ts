import type { SecurityFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { openFindingStates } from '@sandbox-jobs/contract/states/finding-states.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findEnvironment } from '../../lookup/find-environment.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  all?: boolean
}

export const findingsCommand = (): Command =>
  serviceCommand('findings')
    .description('list the security findings of the current version of an environment')
    .argument('<environment>', 'environment by name or id')
    .option('--all', 'include resolved and closed findings')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const { id } = await findEnvironment(session, wanted)
        const state = options.all ? [] : [...openFindingStates]
        const items = await allPages((query) =>
          session.client.call(allRoutes.listFindings, { params: { id }, query: { ...query, state } }),
        )
        const rows = items.map(row)
        const headings = ['SEVERITY', 'STATE', 'RULE', 'WHERE', 'INSTALLED', 'FIXED IN', 'SINCE', 'ID']
        const text = rows.length === 0 ? 'No findings.\n' : table(headings, rows)
        session.report.result(text, { items })
      }),
    )

const row = (finding: SecurityFinding): string[] => [
  finding.severity,
  finding.exception ? `excepted: ${finding.exception.reason}` : finding.state,
  finding.rule,
  finding.subject,
  finding.installed_version,
  finding.fixed_version,
  finding.first_seen_at.slice(0, 10),
  finding.id,
]
