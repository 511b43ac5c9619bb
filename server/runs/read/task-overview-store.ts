import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'

export interface TaskUse {
  id: string
  published_version_number: number | null
  rooms: number
  runs: number
  failures: number
}

/** The use of tasks of one company. Of the runs of a task at most the newest `counted` are read, by their index. */
export async function findTaskUse(
  db: Executing,
  {
    companyId,
    taskIds,
    since,
    counted,
  }: { companyId: string; taskIds: readonly string[]; since: Date; counted: number },
): Promise<TaskUse[]> {
  const { rows } = await sql<TaskUse>`
    select task.id, published.version_number as published_version_number,
      (select count(*) from bindings where task_id = task.id and company_id = task.company_id and state = 'enabled') as rooms,
      recent.runs, recent.failures
    from unnest(${arrayParam(taskIds, 'text')}) as requested (id)
    join tasks task on task.id = requested.id and task.company_id = ${companyId}
    left join task_versions published on published.id = task.current_published_version_id
      and published.company_id = task.company_id
    cross join lateral (
      select count(*) as runs,
        count(*) filter (where newest.state in ('customer_failed', 'platform_failed')) as failures
      from (
        select state from runs
        where task_id = task.id and company_id = task.company_id and queued_at >= ${since}
        order by queued_at desc, runs.id desc limit ${counted}
      ) newest
    ) recent
  `.execute(db)
  return rows
}
