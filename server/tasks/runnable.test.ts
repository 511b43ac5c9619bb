import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../base/ids.ts'
import type { Room } from '../platform/directory.ts'
import { makeEnvironmentVersion } from '../testing/factories/environment-version.ts'
import { makeDepartment, makeTenant, type Tenant } from '../testing/factories/tenant.ts'
import { TaskHarness } from '../testing/task-harness.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { Runnables, validateInput } from './runnable.ts'

const { db } = await createTestDatabase()
const harness = new TaskHarness(db)
const runnables = new Runnables(db)
let tenant: Tenant
let room: Room
let taskId: string
let versionId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  room = await roomOf(tenant.roomId)
  taskId = (await harness.createTask(tenant.companyManager, { scope: 'company', id: tenant.companyId })).id
  const { id: environmentVersionId } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  versionId = (await harness.publish(tenant.companyManager, { taskId, environmentVersionId })).id
})

async function roomOf(roomId: string): Promise<Room> {
  const found = await harness.context.directory.room(tenant.companyId, roomId)
  if (!found) throw new Error('the room is gone')
  return found
}

const resolve = (where: Room, version = versionId) => runnables.resolve(where.company_id, where.id, version)
const share = (kind: string, id: string) => harness.share(tenant.companyManager, { taskId, kind, id })
const code = (code: string) => expect.objectContaining({ code })

describe('resolving what a room may run', () => {
  it('takes the share made to the narrowest target', async () => {
    const company = await share('company', tenant.companyId)
    expect(await resolve(room)).toMatchObject({
      id: versionId,
      task_id: taskId,
      shareGrantId: company.id,
      environment: { resource_profile: 'standard', security_state: 'clear' },
      allowedRegions: undefined,
    })
    const department = await share('department', tenant.departmentId)
    expect((await resolve(room)).shareGrantId).toBe(department.id)
    const own = await share('chatroom', tenant.roomId)
    expect((await resolve(room)).shareGrantId).toBe(own.id)
  })

  it('needs no enablement, and finds nothing without a live share', async () => {
    await expect(resolve(room)).rejects.toEqual(code('not_found'))
    const { id } = await share('chatroom', tenant.roomId)
    await resolve(room)
    await harness.call(taskRoutes.revokeShare, tenant.companyManager, { params: { id: taskId, gid: id } })
    await expect(resolve(room)).rejects.toEqual(code('not_found'))
  })

  it('finds nothing once the room has moved away from what it was granted', async () => {
    await share('chatroom', tenant.roomId)
    await share('department', tenant.departmentId)
    const department_id = await makeDepartment(db, tenant.companyId)
    const move = { department_id, authority_generation: 2 }
    await db.updateTable('chatrooms').set(move).where('id', '=', room.id).execute()
    await expect(resolve(room)).rejects.toEqual(code('not_found'))
  })

  it('finds nothing of another company', async () => {
    await share('company', tenant.companyId)
    const other = await makeTenant(db)
    const theirs = await harness.context.directory.room(other.companyId, other.roomId)
    if (!theirs) throw new Error('the room is gone')
    await expect(resolve(theirs)).rejects.toEqual(code('not_found'))
    await expect(resolve(room, newId('taskVersion'))).rejects.toEqual(code('not_found'))
  })

  it('refuses what is not published, scrubbed, blocked or archived', async () => {
    await share('company', tenant.companyId)
    const set = (values: Record<string, string>) =>
      db.updateTable('task_versions').set(values).where('id', '=', versionId).execute()
    await set({ content_state: 'scrubbed' })
    await expect(resolve(room)).rejects.toEqual(code('content_scrubbed_irreversible'))
    await set({ content_state: 'active', state: 'draft' })
    await expect(resolve(room)).rejects.toEqual(code('version_not_runnable'))
    await set({ state: 'published' })
    await db.updateTable('tasks').set({ security_state: 'blocked' }).where('id', '=', taskId).execute()
    await expect(resolve(room)).rejects.toEqual(code('version_not_runnable'))
    await db.updateTable('tasks').set({ security_state: 'clear' }).where('id', '=', taskId).execute()
    await harness.call(taskRoutes.archiveTask, tenant.companyManager, { params: { id: taskId } })
    await expect(resolve(room)).rejects.toEqual(code('version_not_runnable'))
  })
})

describe('validating an input', () => {
  const version = (input_schema: string | null) => ({ company_id: 'cmp_1', input_schema })

  it('passes what conforms, and everything where there is no schema to check', async () => {
    await validateInput(version(null), 1)
    await validateInput(version('{"type":"number"}'), 1)
    await validateInput(version('{ not json'), 1)
  })

  it('tells at most twenty places and none of the values', async () => {
    const rows = Array.from({ length: 30 }, () => 'hunter2')
    const check = validateInput(version('{"items":{"type":"number"}}'), rows)
    await expect(check).rejects.toMatchObject({ code: 'input_schema_violation' })
    const detail = await check.catch((error: { detail: { errors: unknown[] } }) => error.detail)
    expect(detail).toMatchObject({ errors: { length: 20 } })
    expect(detail).toHaveProperty('errors[1]', {
      type: 'type',
      loc: ['body', 'input', 1],
      msg: 'input[1] breaks the rule type at /items/type of the schema',
    })
    expect(JSON.stringify(detail)).not.toContain('hunter2')
  })

  it('refuses what cannot be checked within its bound', async () => {
    await expect(
      validateInput(version('{"pattern":"^(?=a)(a+)+$"}'), `${'a'.repeat(50)}!`),
    ).rejects.toMatchObject({ code: 'input_schema_violation', detail: { errors: [{ type: 'too_costly' }] } })
    await expect(validateInput(version('{"type":"text"}'), 1)).rejects.toMatchObject({
      code: 'input_schema_violation',
      detail: { errors: [{ type: 'schema_unusable' }] },
    })
  })
})
