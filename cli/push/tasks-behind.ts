import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { allPages } from '../lookup/all-pages.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'

/** A task whose published version runs on another version of the environment. */
export interface TaskBehind {
  id: string
  name: string
  environment_version_id: string
}

/** Only so many tasks are looked at: this is advice after a build, and each costs a request. */
const tasksMax = 200

/** Tasks on the environment whose published version does not run on this version of it. Nothing if they cannot be read. */
export async function tasksBehind(
  { client }: Session,
  environmentId: string,
  versionId: string,
): Promise<TaskBehind[]> {
  const behind: TaskBehind[] = []
  try {
    const tasks = await allPages((query) => client.call(allRoutes.listTasks, { query }))
    const published = tasks.filter((task) => task.current_published_version_id !== null)
    for (const { id, name, current_published_version_id: vid } of published.slice(0, tasksMax)) {
      const params = { id, vid: vid ?? '' }
      const version = await client.call(allRoutes.readTaskVersion, { params })
      if (version.environment_id !== environmentId || version.environment_version_id === versionId) continue
      behind.push({ id, name, environment_version_id: version.environment_version_id })
    }
  } catch {
    // The version is ready all the same.
  }
  return behind
}

export function behindText(behind: readonly TaskBehind[]): string {
  if (behind.length === 0) return ''
  const lines = behind.map((task) => `  ${escapeControls(task.name)} (${task.id})\n`)
  return `Still on an earlier version, until they are published again:\n${lines.join('')}`
}
