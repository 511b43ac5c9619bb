import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { type Expression, type RawBuilder, sql } from 'kysely'

/** A user, and a room, a department or the company, as a statement calls them. */
export type ManagesTerms = Record<'companyId' | 'userId' | 'scope' | 'id', Expression<unknown>>

/**
 * SQL condition: the user is there and manages the scope, by the same rules as `contract/access/decide.ts`. Whether the room, department
 * or company is there is not asked.
 */
export const managesScope = ({
  companyId,
  userId,
  scope,
  id,
}: ManagesTerms): RawBuilder<boolean> => sql<boolean>`exists (
  select from users manager
  where manager.id = ${userId} and manager.company_id = ${companyId} and manager.disabled_at is null and (
    manager.role >= ${sql.lit(roles.company_manager)}
    or (manager.role = ${sql.lit(roles.department_manager)} and exists (
      select from department_managers managed
      where managed.user_id = manager.id and managed.company_id = ${companyId}
        and managed.department_id = case ${scope}
          when 'department' then ${id}
          when 'chatroom' then (
            select room.department_id from chatrooms room where room.id = ${id} and room.company_id = ${companyId})
        end
    ))
    or (${scope} = 'chatroom' and manager.role <> ${sql.lit(roles.auditor)} and exists (
      select from chatroom_members member
      where member.chatroom_id = ${id} and member.user_id = manager.id and member.company_id = ${companyId}
        and member.room_manager
    ))
  )
)`
