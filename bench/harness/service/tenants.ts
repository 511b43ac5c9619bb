import type { KeyObject } from 'node:crypto'
import { hashApiKey, newApiKey } from '../../../server/access/keys/api-key-secret.ts'
import type { Principal } from '../../../server/access/principal.ts'
import { newId } from '../../../server/base/ids.ts'
import type { Database } from '../../../server/db/database.ts'

/** A company with rooms, one member of all of them with a key, and one task that may run there. */
export interface BenchTenant {
  companyId: string
  roomIds: string[]
  member: Principal
  apiKey: string
  taskId: string
  taskVersionId: string
  environmentVersionId: string
  shareGrantId: string
}

export interface TenantsWanted {
  companies: number
  roomsEach: number
  /** Pepper of the service's API keys. */
  pepper: Buffer | KeyObject
}

/** Of the image that every task uses; its bytes do not exist. */
export const layerDigest = `sha256:${'1'.repeat(64)}`

/** Makes companies as rows, before the measurement starts. */
export async function makeTenants(db: Database, wanted: TenantsWanted): Promise<BenchTenant[]> {
  const tenants: BenchTenant[] = []
  for (let made = 0; made < wanted.companies; made += 1) {
    const tenant = newTenant(wanted.roomsEach)
    await insertDirectory(db, tenant, wanted.pepper)
    await insertTask(db, tenant)
    tenants.push(tenant)
  }
  return tenants
}

function newTenant(rooms: number): BenchTenant {
  const companyId = newId('company')
  return {
    companyId,
    roomIds: Array.from({ length: rooms }, () => newId('chatroom')),
    member: {
      companyId,
      principalType: 'user',
      principalId: newId('user'),
      authMethod: 'jwt',
      role: 1,
      managedDepartmentIds: [],
    },
    apiKey: newApiKey(),
    taskId: newId('task'),
    taskVersionId: newId('taskVersion'),
    environmentVersionId: newId('environmentVersion'),
    shareGrantId: newId('shareGrant'),
  }
}

async function insertDirectory(db: Database, tenant: BenchTenant, pepper: Buffer | KeyObject): Promise<void> {
  const { companyId, roomIds, apiKey } = tenant
  const company = { company_id: companyId }
  const userId = tenant.member.principalId
  const department = newId('department')
  await db.insertInto('companies').values({ id: companyId, name: companyId }).execute()
  await db
    .insertInto('departments')
    .values({ ...company, id: department, name: 'bench' })
    .execute()
  await db
    .insertInto('users')
    .values({ ...company, id: userId, login: userId, display_name: 'bench', password_hash: 'none', role: 1 })
    .execute()
  for (const id of roomIds) {
    await db
      .insertInto('chatrooms')
      .values({ ...company, id, department_id: department, name: id })
      .execute()
    await db
      .insertInto('chatroom_members')
      .values({ ...company, chatroom_id: id, user_id: userId, room_manager: false })
      .execute()
  }
  await db
    .insertInto('api_keys')
    .values({
      ...company,
      id: newId('apiKey'),
      owner_user_id: userId,
      name: 'bench',
      key_hash: hashApiKey(pepper, apiKey),
      scope: 'full',
      domains: ['*'],
      allowed_chatroom_ids: [],
      expires_at: null,
    })
    .execute()
}

async function insertTask(db: Database, tenant: BenchTenant): Promise<void> {
  const company = { company_id: tenant.companyId }
  const owner = { owner_scope: 'company', owner_id: tenant.companyId } as const
  const environmentId = newId('environment')
  await db
    .insertInto('environments')
    .values({ ...company, ...owner, id: environmentId, owner_kind: 'company', name: environmentId })
    .execute()
  await db
    .insertInto('environment_versions')
    .values({
      ...company,
      id: tenant.environmentVersionId,
      environment_id: environmentId,
      version_number: 1,
      state: 'ready',
      resource_profile: 'standard',
      layer_digest: layerDigest,
      promoted_digest: layerDigest,
      ready_at: new Date(),
    })
    .execute()
  await db
    .insertInto('tasks')
    .values({ ...company, ...owner, id: tenant.taskId, name: 'bench' })
    .execute()
  await db
    .insertInto('task_versions')
    .values({
      ...company,
      id: tenant.taskVersionId,
      task_id: tenant.taskId,
      version_number: 1,
      state: 'published',
      environment_version_id: tenant.environmentVersionId,
      work_script: 'true',
      canonical_digest: layerDigest,
      content_hash: layerDigest,
      created_by: 'bench',
      published_at: new Date(),
    })
    .execute()
  await db
    .insertInto('share_grants')
    .values({
      ...company,
      id: tenant.shareGrantId,
      task_id: tenant.taskId,
      target_kind: 'company',
      target_id: tenant.companyId,
      generation: 1,
    })
    .execute()
}
