import type { FastifyInstance } from 'fastify'
import { type Mount, type MountOptions, mounter } from '../../http/mount.ts'
import { withFiles } from '../../http/requests/file-part.ts'
import { mountSecretRoutes } from '../../http/routes/secrets/secrets.ts'
import { mountTaskFileRoutes } from '../../http/routes/tasks/files.ts'
import { mountShareRoutes } from '../../http/routes/tasks/shares.ts'
import { mountTaskRoutes } from '../../http/routes/tasks/tasks.ts'
import type { SecretContext, TaskLookup } from '../../secrets/secret-context.ts'
import { seeTask, type TaskContext } from '../../tasks/catalogue/task-access.ts'
import type { UploadContext } from '../../tasks/files/upload-context.ts'
import { seeVersion } from '../../tasks/versions/task-version-service.ts'

/** The routes of tasks, their versions, files and shares, and of what rooms enable. */
export function mountTasks(app: FastifyInstance, mounting: MountOptions, context: UploadContext): void {
  const mount = mounter(app, mounting)
  mountTaskRoutes(mount, context)
  mountShareRoutes(mount, context)
  withFiles(app, (files) => mountTaskFileRoutes(mounter(files, mounting), context))
}

type Parts = Omit<SecretContext, 'tasks' | 'repeats'> & { tasks: TaskContext }

/** The routes of secrets, with what they need of tasks and runs. */
export const mountSecrets = (mount: Mount, { tasks, ...parts }: Parts): void =>
  mountSecretRoutes(mount, { ...parts, tasks: taskLookupOf(tasks), repeats: tasks.repeats })

/** Tasks and versions, as secrets look them up. */
const taskLookupOf = (tasks: TaskContext): TaskLookup => ({
  task: async (principal, taskId) => (await seeTask(tasks, principal, taskId)).task,
  version: async (principal, key) => {
    const { task, row } = await seeVersion(tasks, principal, key)
    return { task, version: row }
  },
})
