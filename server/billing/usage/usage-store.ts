import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Fold, folding } from '../../work/fold-changes.ts'

/** SQL fragment: the department of a change: that which the room is in now, unless the change names one. */
export const departmentOf = (changes: string) => sql`
  coalesce(${sql.ref(`${changes}.department_id`)}, (
    select c.department_id from chatrooms c
    where c.id = ${sql.ref(`${changes}.chatroom_id`)} and c.company_id = ${sql.ref(`${changes}.company_id`)}
  ), '')`

/*
 * Triggers insert a change into `usage_changes` for each run and build that ends (`db/schema/billing.sql`). Readers
 * add it to `usage_days` in one statement, so totals are exact at any time.
 */
export const usageFold: Fold = {
  changes: 'usage_changes',
  totals: 'usage_days',
  key: {
    day: 'column',
    kind: 'column',
    subject_id: 'column',
    chatroom_id: 'column',
    department_id: departmentOf('taken'),
    principal_type: 'column',
    principal_id: 'column',
  },
  sums: {
    count: 'count',
    seconds: 'column',
    ingress_bytes: 'column',
    egress_bytes: 'column',
    cost_micro: 'column',
  },
}

/** One iteration of the loop that folds what ended work used into the totals by day. */
export const foldUsage = ({ db }: { db: Database }) => folding(db, usageFold)
