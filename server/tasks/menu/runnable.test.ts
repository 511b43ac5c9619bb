import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeDepartment, makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Room } from '../../access/directory/directory.ts'
import type { CodedError } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { inputChecker, Runnables, validateInput } from './runnable.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const runnables = new Runnables(db)
let tenant: Tenant
let room: Room
let taskId: string
let versionId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  room = await roomOf(tenant.roomId)
  taskId = (await api.tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })).id
  const { id: environmentVersionId } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  versionId = (await api.tasks.publish(tenant.companyManager, { taskId, environmentVersionId })).id
})

async function roomOf(roomId: string): Promise<Room> {
  const found = await api.context.directory.room(tenant.companyId, roomId)
  if (!found) throw new Error('the room is gone')
  return found
}

const resolve = (where: Room, version = versionId) => runnables.resolve(where.company_id, where.id, version)
const share = (kind: string, id: string) => api.tasks.share(tenant.companyManager, { taskId, kind, id })
const code = (code: string) => expect.objectContaining({ code })

describe('resolving a runnable version of a room', () => {
  it('uses the share with the narrowest target', async () => {
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

  it('requires a live share but no enablement', async () => {
    await expect(resolve(room)).rejects.toEqual(code('not_found'))
    const { id } = await share('chatroom', tenant.roomId)
    await resolve(room)
    await api.call(taskRoutes.revokeShare, tenant.companyManager, { params: { id: taskId, gid: id } })
    await expect(resolve(room)).rejects.toEqual(code('not_found'))
  })

  it('finds nothing after the room has moved out of the share', async () => {
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
    const theirs = await api.context.directory.room(other.companyId, other.roomId)
    if (!theirs) throw new Error('the room is gone')
    await expect(resolve(theirs)).rejects.toEqual(code('not_found'))
    await expect(resolve(room, newId('taskVersion'))).rejects.toEqual(code('not_found'))
  })

  it('refuses versions that are unpublished, scrubbed, blocked or archived', async () => {
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
    await api.call(taskRoutes.archiveTask, tenant.companyManager, { params: { id: taskId } })
    await expect(resolve(room)).rejects.toEqual(code('version_not_runnable'))
  })
})

describe('validating an input', () => {
  const version = (input_schema: string | null) => ({ company_id: 'cmp_1', input_schema })
  const staged = (value: unknown) => Buffer.from(JSON.stringify(value))

  it('accepts conforming inputs, and every input without a schema', async () => {
    await validateInput(version(null), staged(1))
    await validateInput(version('{"type":"number"}'), staged(1))
    await validateInput(version('{ not json'), staged(1))
  })

  it('reports at most twenty locations and no values', async () => {
    const rows = Array.from({ length: 30 }, () => 'hunter2')
    const check = validateInput(version('{"items":{"type":"number"}}'), staged(rows))
    await expect(check).rejects.toMatchObject({ code: 'input_schema_violation' })
    const detail = await check.catch((error: { detail: { errors: unknown[] } }) => error.detail)
    expect(detail).toMatchObject({ errors: { length: 20 } })
    expect(detail).toHaveProperty('errors[1]', {
      type: 'type',
      loc: ['body', 'input', 1],
      msg: 'input[1] must be a number',
    })
    expect(JSON.stringify(detail)).not.toContain('hunter2')
  })

  it('shows the example of the version beside the problems, or that of its schema, if it is short', async () => {
    const withSchema = '{"type":"object","examples":[{"rows":[1]},2]}'
    const examples: [string | null, string, unknown][] = [
      ['{"rows":[2]}', withSchema, { rows: [2] }],
      [null, withSchema, { rows: [1] }],
      [null, '{"type":"object"}', undefined],
      ['{ not json', '{"type":"object"}', undefined],
      [JSON.stringify('x'.repeat(5000)), '{"type":"object"}', undefined],
    ]
    for (const [input_example, input_schema, example] of examples) {
      const changed = db.updateTable('task_versions').set({ input_example, input_schema })
      await changed.where('id', '=', versionId).execute()
      const row = { id: versionId, company_id: tenant.companyId, input_schema }
      const refused = await inputChecker(db)(row, staged(1)).catch((error: unknown) => error)
      const problem = { type: 'type', loc: ['body', 'input'], msg: expect.any(String) }
      expect(refused).toMatchObject({
        code: 'input_schema_violation',
        detail: { errors: [problem] },
      })
      expect((refused as CodedError).detail.example).toEqual(example)
      await inputChecker(db)(row, staged({}))
    }
  })

  it('refuses an input that cannot be checked within the limits', async () => {
    // On a machine without free processors, the check may get too little time to use up its own.
    await eventually(() =>
      expect(
        validateInput(version('{"pattern":"^(?=a)(a+)+$"}'), staged(`${'a'.repeat(50)}!`)),
      ).rejects.toMatchObject({
        code: 'input_schema_violation',
        detail: { errors: [{ type: 'too_costly' }] },
      }),
    )
    await expect(validateInput(version('{"type":"text"}'), staged(1))).rejects.toMatchObject({
      code: 'input_schema_violation',
      detail: { errors: [{ type: 'schema_unusable' }] },
    })
  })
})
