import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { Task } from '@sandbox-jobs/contract/resources/tasks/task.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import { allPages } from '../lookup/all-pages.ts'
import { defaultDepartment, findDepartment } from '../lookup/find-department.ts'
import { findEnvironment } from '../lookup/find-environment.ts'
import { pickNamed } from '../lookup/pick-named.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'
import { limitTask, policyOf } from './declared-limits.ts'
import { convertedSchema } from './draft-07-schema.ts'
import type { TaskSource } from './read-task-file.ts'
import { contentOf, hasContent, type TaskContent } from './task-content.ts'
import type { TaskFile } from './task-file.ts'

export interface Published {
  task: Task
  version: TaskVersion
  /** False if the published version already had the same content. */
  changed: boolean
}

/**
 * Creates the task if there is none of that name and owner, and publishes a version unless the published one has the
 * same content.
 */
export async function publishTask(session: Session, source: TaskSource): Promise<Published> {
  const content = contentOf(withSchemaOfService(session, source), {
    environmentVersionId: await environmentVersionOf(session, source.task),
    outputPolicy: await policyOf(session, source.task.output_policy),
  })
  const { task, isNew } = await ensureTask(session, source.task)
  // Before a version that a room may run at once.
  await limitTask(session, task.id, source.task)
  const current = await publishedVersion(session, task)
  const isSame = current !== undefined && hasContent(current, content)
  const version = isSame ? current : await publishVersion(session, { task, isNew }, content)
  return { task: await describe(session, task, source.task), version, changed: !isSame }
}

/** Says what the author should know about the input schema. */
function withSchemaOfService({ report }: Session, source: TaskSource): TaskSource {
  if (source.inputSchema === null) return source
  const { text, notes } = convertedSchema(source.inputSchema, 'The task file')
  for (const note of notes) report.progress(escapeControls(note))
  return { ...source, inputSchema: text }
}

/** The remains of this call after a refusal are archived: a draft, and a task that would be without any version. */
async function publishVersion(
  session: Session,
  { task, isNew }: { task: Task; isNew: boolean },
  content: TaskContent,
): Promise<TaskVersion> {
  const { client } = session
  const made: (() => Promise<unknown>)[] = []
  if (isNew) made.unshift(() => client.call(allRoutes.archiveTask, { params: { id: task.id } }))
  try {
    const draft = await writeDraft(session, task, content)
    const params = { id: task.id, vid: draft.id }
    if (task.current_draft_version_id === null) {
      made.unshift(() => client.call(allRoutes.archiveTaskVersion, { params }))
    }
    return await client.call(allRoutes.publishTaskVersion, { params })
  } catch (error) {
    // After a lost answer the version may be published.
    if (error instanceof ApiError && error.status < 500) {
      for (const undo of made) await undo().catch(() => undefined)
    }
    throw error
  }
}

async function environmentVersionOf(session: Session, file: TaskFile): Promise<string> {
  if (file.environment_version !== undefined) return file.environment_version
  const environment = await findEnvironment(session, file.environment)
  if (environment.current_version_id !== null) return environment.current_version_id
  throw new CliError(`The environment ${environment.name} has no version that is ready.`, {
    hint: 'Build one with sandbox env push DIR --name NAME, and wait for it.',
    code: 'environment_version_not_ready',
  })
}

async function ensureTask(session: Session, file: TaskFile): Promise<{ task: Task; isNew: boolean }> {
  const { client, report } = session
  const owner = await ownerOf(session, file)
  const tasks = await allPages((query) => client.call(allRoutes.listTasks, { query }))
  const own = tasks.filter(
    (task) => task.owner_scope === owner.owner_scope && task.owner_id === owner.owner_id,
  )
  if (!own.some((task) => task.name === file.name)) {
    const body = { name: file.name, description: file.description, ...owner }
    report.progress(`creating the task ${escapeControls(file.name)}`)
    return { task: await client.call(allRoutes.createTask, { body }), isNew: true }
  }
  return { task: pickNamed('task', file.name, own), isNew: false }
}

/** Only once the version is there, so that a refused publish changes nothing. */
async function describe({ client }: Session, task: Task, { description }: TaskFile): Promise<Task> {
  if (task.description === description) return task
  return client.call(allRoutes.updateTask, { params: { id: task.id }, body: { description } })
}

async function ownerOf(session: Session, file: TaskFile) {
  if (file.department !== undefined) {
    return { owner_scope: 'department', owner_id: await findDepartment(session, file.department) } as const
  }
  const me = await session.client.call(allRoutes.readMe)
  const department = await defaultDepartment(session, me)
  if (department !== undefined) return { owner_scope: 'department', owner_id: department } as const
  return { owner_scope: 'company', owner_id: me.company_id } as const
}

async function publishedVersion({ client }: Session, task: Task): Promise<TaskVersion | undefined> {
  if (task.current_published_version_id === null) return undefined
  return client.call(allRoutes.readTaskVersion, {
    params: { id: task.id, vid: task.current_published_version_id },
  })
}

/** An existing draft is overwritten: a task has at most one relevant draft. */
async function writeDraft({ client }: Session, task: Task, content: TaskContent): Promise<TaskVersion> {
  const draft = task.current_draft_version_id
  return draft === null
    ? client.call(allRoutes.createTaskVersion, { params: { id: task.id }, body: content })
    : client.call(allRoutes.updateTaskVersion, { params: { id: task.id, vid: draft }, body: content })
}
