import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import {
  addMember,
  makeDepartment,
  makeTenant,
  makeUser,
  type Tenant,
} from '../../../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { unsignedImages } from '../../../testing/unsigned-images.ts'
import { newId } from '../../base/ids.ts'
import { createLog } from '../../base/logging.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { postgresRunQueue } from '../drive/run-queue.ts'
import { startRunWorker } from '../drive/run-worker.ts'

/* The authority that a run was submitted under is looked at again when it is claimed: it changes while the run waits. */

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const storage = testStorage()
let executor: ScriptedExecutor
beforeEach(() => {
  executor = new ScriptedExecutor()
})

interface Scene {
  tenant: Tenant
  task: RunnableTask
  userId: string
  apiKeyId: string | null
  shareId: string | null
}

const rowOf = (id: string) => db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const untilEnded = (id: string) =>
  eventually(async () => expect((await rowOf(id)).terminal_at).not.toBeNull())

async function makeScene(): Promise<Scene> {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId)
  return { tenant, task, userId: tenant.member.principalId, apiKeyId: null, shareId: task.shareGrantId }
}

/** Shared to nobody but this target. */
async function sharedTo(scene: Scene, kind: 'chatroom' | 'department', target_id: string): Promise<Scene> {
  await db
    .updateTable('share_grants')
    .set({ target_kind: kind, target_id })
    .where('id', '=', scene.task.shareGrantId)
    .execute()
  return scene
}

async function byKey(scene: Scene, scope: 'full' | 'sandbox' = 'full'): Promise<Scene> {
  const { tenant, userId } = scene
  const id = newId('apiKey')
  await db
    .insertInto('api_keys')
    .values({
      id,
      company_id: tenant.companyId,
      owner_user_id: userId,
      name: id,
      key_hash: randomBytes(32),
      scope,
      allowed_chatroom_ids: scope === 'full' ? [] : [tenant.roomId],
      expires_at: null,
      domains: ['*'],
    })
    .execute()
  return { ...scene, apiKeyId: id }
}

/** As a program that came by a door of the room, whose owner the manager of the room is. */
async function byDoor(scene: Scene): Promise<Scene> {
  const { tenant } = scene
  const id = newId('door')
  const userId = tenant.roomManager.principalId
  await db
    .insertInto('doors')
    .values({
      id,
      company_id: tenant.companyId,
      chatroom_id: tenant.roomId,
      owner_user_id: userId,
      name: id,
      kind: 'dify',
      network: false,
      timeout_seconds: 30,
      key_hash: randomBytes(32),
      pepper: 0,
    })
    .execute()
  return { ...scene, userId, apiKeyId: id, shareId: null }
}

/** Queues a run while no worker is there, changes what it stands on, and has it claimed. */
async function endOf(scene: Scene, change?: (scene: Scene) => Promise<unknown>) {
  const { tenant, task, userId, apiKeyId, shareId } = scene
  const id = await makeRun(db, task, {
    chatroom_id: tenant.roomId,
    principal_id: userId,
    auth_method: apiKeyId ? 'api_key' : 'jwt',
    api_key_id: apiKeyId,
    share_grant_id: shareId,
    submission_source: shareId ? 'rest' : 'quick_run',
  })
  await change?.(scene)
  const worker = await startRunWorker({
    runs: postgresRunQueue(db, url, log),
    executor,
    storage,
    images: unsignedImages,
    log,
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots: 4, reserved: 0 }),
    companyConcurrency: 50,
  })
  await untilEnded(id)
  await worker.stop()
  return rowOf(id)
}

const refused = (detail: string) => ({
  state: 'customer_failed',
  error_code: 'authority_revoked',
  error_detail: detail,
  failure_source: 'policy',
  started_at: null,
})

const moveRoom = async ({ tenant }: Scene) =>
  db
    .updateTable('chatrooms')
    .set({ department_id: await makeDepartment(db, tenant.companyId), authority_generation: 2 })
    .where('id', '=', tenant.roomId)
    .execute()
const revokeShare = ({ task }: Scene) =>
  db
    .updateTable('share_grants')
    .set({ state: 'revoked', revoked_at: new Date() })
    .where('id', '=', task.shareGrantId)
    .execute()
const changeKey = (set: { revoked_at?: Date; expires_at?: Date }) => (scene: Scene) =>
  db
    .updateTable('api_keys')
    .set(set)
    .where('id', '=', scene.apiKeyId ?? '')
    .execute()
const disableUser = ({ userId }: Scene) =>
  db.updateTable('users').set({ disabled_at: new Date() }).where('id', '=', userId).execute()
const removeMember = ({ userId, tenant }: Scene) =>
  db
    .deleteFrom('chatroom_members')
    .where('user_id', '=', userId)
    .where('chatroom_id', '=', tenant.roomId)
    .execute()

const lost: [string, string, () => Promise<Scene>, (scene: Scene) => Promise<unknown>][] = [
  ['whose share was revoked', 'share_grant', makeScene, revokeShare],
  [
    'whose API key was revoked',
    'api_key',
    async () => byKey(await makeScene()),
    changeKey({ revoked_at: new Date() }),
  ],
  [
    'whose API key has expired',
    'api_key',
    async () => byKey(await makeScene()),
    changeKey({ expires_at: new Date(0) }),
  ],
  ['whose user was disabled', 'user', makeScene, disableUser],
  ['whose key stands for a disabled user', 'user', async () => byKey(await makeScene()), disableUser],
  ['whose submitter left the room', 'membership', makeScene, removeMember],
  [
    'whose submitter has become an auditor, who acts in no room',
    'membership',
    makeScene,
    ({ userId }) => db.updateTable('users').set({ role: 0 }).where('id', '=', userId).execute(),
  ],
  [
    'whose restricted key is for a room that its owner has left',
    'membership',
    async () => byKey(await makeScene(), 'sandbox'),
    removeMember,
  ],
  [
    'whose room moved away from the department it was shared to',
    'share_grant',
    async () => {
      const scene = await makeScene()
      return sharedTo(scene, 'department', scene.tenant.departmentId)
    },
    moveRoom,
  ],
  [
    'whose room moved after the share was made to it',
    'share_grant',
    async () => {
      const scene = await makeScene()
      return sharedTo(scene, 'chatroom', scene.tenant.roomId)
    },
    moveRoom,
  ],
  [
    'whose room was deleted',
    'chatroom',
    makeScene,
    ({ tenant }) =>
      db.updateTable('chatrooms').set({ deleted_at: new Date() }).where('id', '=', tenant.roomId).execute(),
  ],
  [
    'of a manager of departments who manages that of the room no more',
    'membership',
    async () => {
      const scene = await makeScene()
      return { ...scene, userId: scene.tenant.departmentManager.principalId }
    },
    moveRoom,
  ],
  [
    'made in a hurry by a manager of the room who is only a member by now',
    'membership',
    async () => {
      const scene = await makeScene()
      return { ...scene, userId: scene.tenant.roomManager.principalId, shareId: null }
    },
    ({ tenant }) =>
      db
        .updateTable('chatroom_members')
        .set({ room_manager: false })
        .where('user_id', '=', tenant.roomManager.principalId)
        .execute(),
  ],
  [
    'that came by a door that was removed',
    'api_key',
    async () => byDoor(await makeScene()),
    (scene) =>
      db
        .deleteFrom('doors')
        .where('id', '=', scene.apiKeyId ?? '')
        .execute(),
  ],
]

describe('a queued run', () => {
  it.each(lost)('%s does not start', async (_name, detail, make, change) => {
    const scene = await make()
    // With all that it stands on it runs.
    expect(await endOf(scene)).toMatchObject({ state: 'completed' })
    expect(executor.started).toHaveLength(1)
    expect(await endOf(scene, change)).toMatchObject(refused(detail))
    expect(executor.started).toHaveLength(1)
  })

  it('of a user of another company does not start, whoever they are there', async () => {
    const scene = await makeScene()
    const stranger = await makeUser(db, { companyId: (await makeTenant(db)).companyId, role: 4 })
    expect(await endOf({ ...scene, userId: stranger.principalId })).toMatchObject(refused('user'))
  })

  it('of a user who left and came back starts', async () => {
    const scene = await makeScene()
    await removeMember(scene)
    await addMember(db, {
      companyId: scene.tenant.companyId,
      roomId: scene.tenant.roomId,
      userId: scene.userId,
    })
    expect(await endOf(scene)).toMatchObject({ state: 'completed' })
  })
})
