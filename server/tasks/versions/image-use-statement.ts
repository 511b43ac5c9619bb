import { sql } from 'kysely'

/** Condition on `environment_versions v`: a published version of a listed task uses it. */
export const imageUseByTask = sql<boolean>`exists (
  select 1 from task_versions tv join tasks t on t.id = tv.task_id
  where tv.environment_version_id = v.id and tv.state = 'published' and t.state = 'active' and not t.hidden
)`

/** Names of at most ten tasks for which the condition above is true, of the company of `environment_versions v`. */
export const namesOfUsingTasks = sql<string[]>`array(
  select distinct t.name from task_versions tv join tasks t on t.id = tv.task_id
  where tv.environment_version_id = v.id and tv.state = 'published' and t.state = 'active' and not t.hidden
  order by t.name limit 10
)`
