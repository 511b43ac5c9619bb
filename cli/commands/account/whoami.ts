import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { ownDepartments } from '../../lookup/find-department.ts'
import { roleName } from '../../output/role-name.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const whoamiCommand = (): Command =>
  serviceCommand('whoami')
    .description('show your account, role and rights')
    .action((options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const { client, url, stored, report } = session
        const me = await client.call(allRoutes.readMe)
        const departments =
          me.managed_department_ids.length === 0 || me.api_key_scope === 'sandbox'
            ? []
            : (await ownDepartments(session)).filter(({ id }) => me.managed_department_ids.includes(id))
        const may = Object.entries(me.can).flatMap(([name, allowed]) => (allowed ? [name] : []))
        const rows: [string, string][] = [
          ['service', url],
          ['user', me.auth_method === 'jwt' ? (stored.logins[url]?.user ?? '') : 'by API key'],
          ['principal', `${me.principal_type} ${me.principal_id}`],
          ['company', me.company_id],
          ['role', roleName(me.role)],
          ['departments', departments.map(({ id, name }) => `${name} (${id})`).join(', ')],
          ['rooms', me.allowed_chatroom_ids?.join(', ') ?? ''],
          ['may', may.join(', ') || 'use the rooms that you are a member of'],
          [
            'service is',
            me.sandbox_enabled ? 'enabled' : 'disabled: only reading and cancelling are allowed',
          ],
        ]
        const shown = rows.filter(([, value]) => value !== '')
        report.result(table(['', ''], shown).trimStart(), { ...me, managed_departments: departments })
      }),
    )
