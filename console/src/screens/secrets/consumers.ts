import type { OwnAccount } from '@sandbox-jobs/contract/resources/access/own-account.ts'
import type { OwnChatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import type { Consumer } from '../../data/rooms/secrets.ts'

type Person = Pick<OwnAccount, 'role' | 'managed_department_ids' | 'company_id'>
type Room = Pick<OwnChatroom, 'id' | 'department_id' | 'manages'>

/**
 * The consumers that the person may store values for and that runs of the room get them from, the narrowest first, as a
 * run looks for a value. A manager of one manages all before it.
 */
export function managedConsumers(
  room: Room,
  { role, managed_department_ids, company_id }: Person,
): Consumer[] {
  const managesCompany = role >= roles.company_manager
  const managesDepartment = managesCompany || managed_department_ids.includes(room.department_id)
  const consumers: (Consumer | false)[] = [
    room.manages && { consumer_scope: 'chatroom', consumer_id: room.id },
    managesDepartment && { consumer_scope: 'department', consumer_id: room.department_id },
    managesCompany && { consumer_scope: 'company', consumer_id: company_id },
  ]
  return consumers.filter((consumer) => consumer !== false)
}
