import type { Database } from '../../db/database.ts'
import type { Mount } from '../../http/mount.ts'
import { mountSecretRoutes } from '../../http/routes/secrets/secrets.ts'
import { earlierResponse, intentScope, once } from '../../runs/submit/idempotency.ts'
import type { RepeatedWrites, SecretContext, TaskLookup, WriteIntent } from '../../secrets/secret-context.ts'
import { seeTask, type TaskContext } from '../../tasks/catalogue/task-access.ts'
import { seeVersion } from '../../tasks/versions/task-version-service.ts'

type Parts = Omit<SecretContext, 'tasks' | 'repeats'> & { tasks: TaskContext }

/** The routes of secrets, with what they need of tasks and runs. */
export const mountSecrets = (mount: Mount, { tasks, ...parts }: Parts): void =>
  mountSecretRoutes(mount, { ...parts, tasks: taskLookupOf(tasks), repeats: repeatedWritesOf(parts.db) })

/** Tasks and versions, as secrets look them up. */
export const taskLookupOf = (tasks: TaskContext): TaskLookup => ({
  task: async (principal, taskId) => (await seeTask(tasks, principal, taskId)).task,
  version: async (principal, key) => {
    const { task, row } = await seeVersion(tasks, principal, key)
    return { task, version: row }
  },
})

/** The keys of repeated writes are where those of submissions are. */
export function repeatedWritesOf(db: Database): RepeatedWrites {
  const intentOf = ({ principal, route, key, requestHash }: WriteIntent) => ({
    scope: intentScope(principal, route, key),
    requestHash,
  })
  return {
    earlier: (intent) => earlierResponse(db, intentOf(intent)),
    once: (intent, work) => once(db, intentOf(intent), work),
  }
}
