import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { Scope } from '@sandbox-jobs/contract/resources/companies/owner-scope.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { allPages } from '../lookup/all-pages.ts'
import { findDepartment } from '../lookup/find-department.ts'
import { findRoom } from '../lookup/find-room.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'
import type { Published } from './publish-task.ts'
import type { TaskFile } from './task-file.ts'

interface Target {
  target_kind: Scope
  target_id: string
  /** The name in the task file. */
  name: string
}

/** The ids of the departments and rooms that a task file names. */
export interface ShareTargets {
  targets: Target[]
  rooms: { cid: string; name: string }[]
}

/**
 * Looks up every department and room of a task file. This happens first, so that a wrong name does not leave a task
 * half published.
 */
export async function findShareTargets(session: Session, file: TaskFile): Promise<ShareTargets> {
  const targets = await targetsOf(session, file)
  const rooms: ShareTargets['rooms'] = []
  for (const name of file.enable) rooms.push({ cid: await findRoom(session, name), name })
  return { targets, rooms }
}

/** Shares a task as its file says, and returns the number of new shares. Existing live shares stay; none is revoked. */
export async function shareTask(
  { client, report }: Session,
  { targets }: ShareTargets,
  { task }: Published,
): Promise<number> {
  if (targets.length === 0) return 0
  const params = { id: task.id }
  const live = await allPages((query) =>
    client.call(allRoutes.listShares, { params, query: { ...query, lifecycle: 'active' } }),
  )
  let made = 0
  for (const { name, ...target } of targets) {
    const same = live.find(
      (share) => share.target_id === target.target_id && share.target_kind === target.target_kind,
    )
    if (same?.active && same.authority_applicable) continue
    await client.call(allRoutes.createShare, { params, body: target }).catch((error: unknown) => {
      // Somebody else has just shared it. One from before its room moved grants nothing, so that is a failure.
      if (same || !(error instanceof ApiError && error.code === 'share_already_live')) throw error
    })
    report.progress(`shared with ${target.target_kind} ${escapeControls(name)}`)
    made += 1
  }
  return made
}

async function targetsOf(session: Session, { share }: TaskFile): Promise<Target[]> {
  const targets: Target[] = []
  if (share.company) {
    const { company_id } = await session.client.call(allRoutes.readMe)
    targets.push({ target_kind: 'company', target_id: company_id, name: company_id })
  }
  for (const name of share.departments) {
    targets.push({ target_kind: 'department', target_id: await findDepartment(session, name), name })
  }
  for (const name of share.rooms) {
    targets.push({ target_kind: 'chatroom', target_id: await findRoom(session, name), name })
  }
  return targets
}

/** Enables the version in the rooms of the file that have pinned another version or none, and returns their number. */
export async function enableTask(
  { client, report }: Session,
  { rooms }: ShareTargets,
  { task, version }: Published,
): Promise<number> {
  let enabled = 0
  for (const { cid, name } of rooms) {
    const { items } = await client.call(allRoutes.listGrantedJobs, { params: { cid } })
    const job = items.find((item) => item.task_id === task.id)
    if (job?.enabled && job.pinned_task_version_id === version.id) continue
    await client.call(allRoutes.enableGrantedJob, {
      params: { cid, tid: task.id },
      body: { task_version_id: version.id },
    })
    report.progress(`enabled in room ${escapeControls(name)}`)
    enabled += 1
  }
  return enabled
}
