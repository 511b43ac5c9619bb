import type { Task } from '@sandbox-jobs/contract/resources/tasks/task.ts'
import type { TaskRow } from './task-store.ts'

/** The wire form of a task; owners and borrowers see the same fields. */
export const renderTask = (row: TaskRow): Task => ({
  id: row.id,
  company_id: row.company_id,
  owner_scope: row.owner_scope as Task['owner_scope'],
  owner_id: row.owner_id,
  name: row.name,
  description: row.description,
  agent_enabled: row.agent_enabled,
  state: row.state as Task['state'],
  security_state: row.security_state as Task['security_state'],
  current_published_version_id: row.current_published_version_id,
  current_draft_version_id: row.current_draft_version_id,
})
