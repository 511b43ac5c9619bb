import { createHash } from 'node:crypto'
import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import { beforeAll, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let id: string
let environmentVersionId: string

beforeAll(async () => {
  tenant = await makeTenant(db)
  const { companyId, departmentId } = tenant
  id = (await api.tasks.create(tenant.departmentManager, { scope: 'department', id: departmentId })).id
  await api.tasks.share(tenant.departmentManager, { taskId: id, kind: 'chatroom', id: tenant.roomId })
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId })).id
})

const draft = (fields: Record<string, unknown> = {}) =>
  api.tasks.draft(tenant.departmentManager, { taskId: id, environmentVersionId, fields })
const preview = (vid: string, body: unknown, principal = tenant.departmentManager) =>
  api.call(scriptRoutes.previewInput, principal, {
    params: { id, vid },
    body,
  })

it('shows the inputs file byte for byte, with its digest and the contract', async () => {
  const { id: vid } = await draft({ work_command: 'python3 /workspace/work.sh' })
  const { status, body } = await preview(vid, { input: { b: 1.0, a: ['é', null] } })
  const content = '{"a":["é",null],"b":1}'
  expect(status).toBe(200)
  expect(body).toEqual({
    input_file_content: content,
    input_digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
    runtime_contract: expect.objectContaining({ driver: 'python3 /workspace/work.sh' }),
    schema_valid: true,
    schema_errors: [],
  })
})

it('takes any JSON, and names at most twenty problems with it', async () => {
  const { id: vid } = await draft({ input_schema: '{"type":"array","items":{"type":"integer"}}' })
  for (const input of [null, 'text', 1, false, {}]) {
    expect((await preview(vid, { input })).body).toMatchObject({
      schema_valid: false,
      schema_errors: [{ loc: ['body', 'input'] }],
    })
  }
  expect((await preview(vid, { input: [1] })).body.schema_valid).toBe(true)
  const { body } = await preview(vid, { input: Array.from({ length: 50 }, () => 'secret-value') })
  expect(body.schema_errors).toHaveLength(20)
  expect(JSON.stringify(body.schema_errors)).not.toContain('secret-value')
})

it('is refused for an invalid input', async () => {
  const { id: vid } = await draft()
  const deep = JSON.parse('['.repeat(65) + ']'.repeat(65)) as unknown
  for (const body of [{}, { input: 1, more: 2 }, { input: deep }]) {
    const answer = await preview(vid, body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toBeInstanceOf(Array)
  }
  const large = await preview(vid, { input: 'x'.repeat(1024 ** 2 - 1) })
  expect(large.status).toBe(422)
  expect((await preview(vid, { input: 'x'.repeat(1024 ** 2 - 2) })).status).toBe(200)
})

it('shows users of a share the default driver, and no draft', async () => {
  const version = await api.tasks.publish(tenant.departmentManager, {
    taskId: id,
    environmentVersionId,
    fields: { work_command: 'hidden-command' },
  })
  const seen = await preview(version.id, { input: {} }, tenant.member)
  expect(seen.body.runtime_contract.driver).toBe('. /workspace/work.sh')
  expect(JSON.stringify(seen.body)).not.toContain('hidden-command')
  const unknown = await preview(newId('taskVersion'), { input: {} }, tenant.member)
  expect(unknown.status).toBe(404)
  expect(await preview((await draft()).id, { input: {} }, tenant.member)).toEqual(unknown)
  expect(await preview(version.id, { input: {} }, tenant.stranger)).toEqual(unknown)
})

it('starts and stores nothing', async () => {
  const { id: vid } = await draft()
  await preview(vid, { input: {} })
  expect(await db.selectFrom('runs').select('id').execute()).toEqual([])
  expect(await db.selectFrom('run_inputs').select('run_id').execute()).toEqual([])
})

it('shows a large input as any other, and refuses large bodies in the same words', async () => {
  const { id: vid } = await draft({ input_schema: '{"type":"array","items":{"required":["id"]}}' })
  const input = Array.from({ length: 20_000 }, (_, at) => ({ name: `é ${at}`, id: at }))
  const content = JSON.stringify(input.map(({ name, id: at }) => ({ id: at, name })))
  expect((await preview(vid, { input })).body).toMatchObject({
    input_file_content: content,
    input_digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
    schema_valid: true,
  })
  expect((await preview(vid, { input: [...input, {}] })).body.schema_errors).toMatchObject([
    { loc: ['body', 'input', 20_000, 'id'], msg: 'input[20000].id is missing' },
  ])
  const deep = (levels: number): unknown => (levels === 0 ? input : [deep(levels - 1)])
  const refused = async (body: unknown) => {
    const { status, body: answer } = await preview(vid, body)
    return { status, answer }
  }
  expect(await refused({ input: deep(70) })).toMatchObject({
    status: 422,
    answer: { detail: [{ type: 'too_deep', loc: ['body', 'input'] }] },
  })
  expect(await refused({ input, extra: 1 })).toMatchObject({
    status: 422,
    answer: { detail: [{ type: 'extra_forbidden', loc: ['body', 'extra'] }] },
  })
  expect(await refused({ input: Array(130_000).fill(1) })).toMatchObject({
    status: 422,
    answer: { detail: [{ type: 'too_many_nodes', loc: ['body', 'input', 119_998] }] },
  })
})
