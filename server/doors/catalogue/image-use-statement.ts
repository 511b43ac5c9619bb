import { sql } from 'kysely'
import { imageUseByTask } from '../../tasks/versions/image-use-statement.ts'

/** Condition on `environment_versions v`: a published version of a listed task, or a door, uses it. */
export const imageUseByTaskOrDoor = sql<boolean>`(${imageUseByTask} or exists (
  select 1 from door_runtimes dr where dr.environment_version_id = v.id
))`
