import { sql } from 'kysely'

/** SQL fragment: the department of a change: that which the room is in now, unless the change names one. */
export const departmentOf = (changes: string) => sql`
  coalesce(${sql.ref(`${changes}.department_id`)}, (
    select c.department_id from chatrooms c
    where c.id = ${sql.ref(`${changes}.chatroom_id`)} and c.company_id = ${sql.ref(`${changes}.company_id`)}
  ), '')`
