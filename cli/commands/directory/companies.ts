import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const companiesCommand = (): Command =>
  serviceCommand('companies')
    .description('show your company with its departments and rooms, for its administrators')
    .addHelpText('after', '\nNobody sees another company. The operator manages companies with sandbox admin.')
    .action((options: ConnectionOptions) =>
      withSession(options, async ({ client, report }) => {
        const company = await client.call(allRoutes.readCompany)
        const departments = await allPages((query) => client.call(allRoutes.listDepartments, { query }))
        const rooms = await allPages((query) => client.call(allRoutes.listChatrooms, { query }))
        const rows = departments.map(({ id, name }) => [
          name,
          id,
          rooms
            .filter((room) => room.department_id === id)
            .map((room) => room.name)
            .join(', '),
        ])
        report.result(
          `${escapeControls(company.name)} (${company.id})\n\n${table(['DEPARTMENT', 'ID', 'ROOMS'], rows)}`,
          { items: [{ ...company, departments, rooms }] },
        )
      }),
    )
