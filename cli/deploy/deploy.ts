import type { Environment } from '@sandbox-jobs/contract/resources/environments/environment.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { CliError, describeFailure } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { limitEnvironment } from '../publish/declared-limits.ts'
import { type Published, publishTask } from '../publish/publish-task.ts'
import { buildFolder, ownedBy, readTaskFile, type TaskSource } from '../publish/read-task-file.ts'
import { findSchedules, scheduleTask } from '../publish/schedule-task.ts'
import { enableTask, findShareTargets, shareTask } from '../publish/share-task.ts'
import type { TaskFile } from '../publish/task-file.ts'
import { type PushPlan, pushEnvironment } from '../push/push-environment.ts'
import type { Session } from '../session/session.ts'

/** Things that a deployment found or made. */
export interface Deployed {
  file: TaskFile
  /** Undefined if the task file only names its environment. */
  environment?: { environment: Environment; version: EnvironmentVersion }
  task: Published['task']
  version: Published['version']
  built: boolean
  published: boolean
  /** Numbers of new shares, and of rooms in which this version was enabled. */
  shared: number
  enabled: number
  /** Number of schedules that were made or changed. */
  scheduled: number
}

export const hasChanged = ({ built, published, shared, enabled, scheduled }: Deployed): boolean =>
  built || published || shared + enabled + scheduled > 0

/**
 * Builds, publishes, shares, enables and schedules what a task file describes, each only where something differs: a repetition
 * goes on where the last one failed. The error of a failed step also says what is done and what is not.
 */
export async function deploy(
  session: Session,
  file: string,
  { onBuild, department }: Pick<PushPlan, 'onBuild' | 'department'> = {},
): Promise<Deployed> {
  const source = ownedBy(await readTaskFile(file), department)
  // First, so that a wrong name is refused before anything is built.
  const targets = await findShareTargets(session, source.task)
  const schedules = await findSchedules(session, source)
  const steps = new Steps(session, stepNames(schedules.length > 0))
  const pushed = await steps.do(() => push(session, file, source, onBuild))
  if (pushed) steps.done(`${pushed.environment.name} version ${pushed.version.version_number} is ready`)
  const pinned = pushed ? onVersion(source, pushed.version) : source
  const published = await steps.do(() => publishTask(session, pinned))
  steps.done(`${published.task.name} version ${published.version.version_number} is published`)
  const shared = await steps.do(() => shareTask(session, targets, published))
  const enabled = await steps.do(() => enableTask(session, targets, published))
  const scheduled = await steps.do(() => scheduleTask(session, schedules, published))
  return {
    file: source.task,
    ...(pushed && { environment: { environment: pushed.environment, version: pushed.version } }),
    task: published.task,
    version: published.version,
    built: pushed?.isNew === true,
    published: published.changed,
    shared,
    enabled,
    scheduled,
  }
}

const stepNames = (isScheduled: boolean): string[] => [
  'build the environment',
  'publish the task',
  'share it',
  'enable it',
  ...(isScheduled ? ['schedule it'] : []),
]

async function push(session: Session, file: string, { task }: TaskSource, onBuild: PushPlan['onBuild']) {
  if (!task.build) return undefined
  const { folder, profile, department } = task.build
  const pushed = await pushEnvironment(session, await buildFolder(file, folder), {
    name: task.environment,
    profile,
    cache: true,
    wait: true,
    ...(department !== undefined && { department }),
    ...(task.department !== undefined && { taskDepartment: task.department }),
    ...(onBuild && { onBuild }),
  })
  await limitEnvironment(session, pushed.version, task.build)
  return pushed
}

const onVersion = (source: TaskSource, version: EnvironmentVersion): TaskSource => ({
  ...source,
  task: { ...source.task, environment_version: version.id },
})

/** The steps of a deployment in their order. */
class Steps {
  readonly #session: Session
  readonly #left: string[]
  readonly #done: string[] = []

  constructor(session: Session, names: readonly string[]) {
    this.#session = session
    this.#left = [...names]
  }

  /** Does the next step. An error also lists the steps. */
  async do<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      this.#left.shift()
      return result
    } catch (error) {
      const { problems = [], ...failure } = describeFailure(error, this.#session.url)
      const steps = [
        ...this.#done.map((text) => `done: ${text}`),
        ...this.#left.map((name) => `not done: ${name}`),
      ]
      throw new CliError(failure.message, { ...failure, problems: [...problems, ...steps] })
    }
  }

  /** Notes what a step has left. */
  done(text: string): void {
    this.#done.push(escapeControls(text))
  }
}
