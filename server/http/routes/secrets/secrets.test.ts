import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  SecretBinding,
  SecretBindingList,
  SecretOperation,
} from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { secretRoutes } from '@sandbox-jobs/contract/routes/secret-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { addressBody, encrypted, SecretSteps } from '../../../../testing/apps/steps/secret-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { withSandboxKey } from '../../../../testing/factories/platform.ts'
import { makeDepartment, makeTenant, makeUser, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { newId } from '../../../base/ids.ts'
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'
import { openSealed } from '../../../secrets/store/sealed-value.ts'
import { findValues } from '../../../secrets/store/secret-value-store.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const secrets = new SecretSteps(api)
const { tasks } = api
let tenant: Tenant
let taskId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  taskId = (await tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })).id
  await tasks.share(tenant.companyManager, { taskId, kind: 'chatroom', id: tenant.roomId })
})

const ofRoom = (slot = 'TOKEN') => addressBody({ scope: 'chatroom', id: tenant.roomId, taskId, slot })

interface Sent {
  body?: Record<string, unknown>
  as?: Principal
  key?: string
}

const write = async (route: Route, { body = {}, as = tenant.roomManager, key }: Sent = {}) => {
  const envelope = 'encrypted_value' in body ? {} : { encrypted_value: await encrypted('a value') }
  return secrets.call<SecretOperation & { detail?: unknown }>(route, as, {
    body: { ...ofRoom(), ...envelope, ...body },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })
}
const create = (sent?: Sent) => write(secretRoutes.createSecret, sent)
const rotate = (sent?: Sent) => write(secretRoutes.rotateSecret, sent)
const revoke = ({ body = {}, as = tenant.roomManager, key }: Sent = {}) =>
  secrets.call<SecretOperation & { detail?: unknown }>(secretRoutes.revokeSecret, as, {
    body: { ...ofRoom(), ...body },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })
const refusal = ({ status, body }: { status: number; body: { detail?: unknown } }) => [
  status,
  (body.detail as { code?: string }).code,
]

const rows = async () => ({
  secrets: await db
    .selectFrom('secret_bindings')
    .select('state')
    .where('company_id', '=', tenant.companyId)
    .execute(),
  values: await db
    .selectFrom('secret_values')
    .select('generation')
    .where('company_id', '=', tenant.companyId)
    .execute(),
  operations: await db
    .selectFrom('secret_operations')
    .select(['operation_type', 'state', 'generation'])
    .where('company_id', '=', tenant.companyId)
    .orderBy('id')
    .execute(),
  keys: await db
    .selectFrom('idempotency_keys')
    .select('key')
    .where('company_id', '=', tenant.companyId)
    .execute(),
})

/** The value as a run would get it. */
async function stored({ binding }: { binding: SecretBinding }): Promise<string | undefined> {
  const wanted = { bindingId: binding.id, generation: binding.generation }
  const sealed = (await findValues(db, tenant.companyId, [wanted])).get(binding.id)
  const place = {
    companyId: tenant.companyId,
    consumerScope: binding.consumer_scope,
    consumerId: binding.consumer_id,
    taskId: binding.task_id,
    slotName: binding.slot_name,
    generation: binding.generation,
  }
  return sealed && (await openSealed(secrets.keys, place, sealed)).toString()
}

describe('the life of a secret', () => {
  it('is created, rotated, revoked and created again, each value with the next generation', async () => {
    const created = await create()
    expect(created.status).toBe(200)
    expect(created.body).toEqual({
      operation_id: expect.stringMatching(/^sop_/),
      operation_type: 'create',
      operation_state: 'applied',
      binding: {
        id: expect.stringMatching(/^sec_/),
        company_id: tenant.companyId,
        ...ofRoom(),
        generation: 1,
        state: 'active',
        has_provider_binding: true,
      },
    })
    const { id } = created.body.binding
    expect(await stored(created.body)).toBe('a value')

    const rotated = await rotate({ body: { encrypted_value: await encrypted('another value') } })
    expect(rotated.body).toMatchObject({
      operation_type: 'rotate',
      operation_state: 'applied',
      binding: { id, generation: 2, state: 'active' },
    })
    expect([await stored(rotated.body), await stored(created.body)]).toEqual(['another value', undefined])

    const revoked = await revoke()
    expect(revoked.body).toMatchObject({
      operation_type: 'revoke',
      operation_state: 'terminal',
      binding: { id, generation: 2, state: 'revoked', has_provider_binding: false },
    })
    expect((await rows()).values).toEqual([])

    const again = await create()
    expect(again.body.binding).toMatchObject({ generation: 3, state: 'active' })
    expect(again.body.binding.id).not.toBe(id)
    expect((await rows()).operations.map(({ operation_type, state }) => [operation_type, state])).toEqual([
      ['create', 'applied'],
      ['rotate', 'applied'],
      ['revoke', 'terminal'],
      ['create', 'applied'],
    ])
  })

  it('refuses what the state does not allow, and leaves nothing', async () => {
    expect(refusal(await rotate())).toEqual([404, 'not_found'])
    expect(refusal(await revoke())).toEqual([404, 'not_found'])
    expect(await rows()).toEqual({ secrets: [], values: [], operations: [], keys: [] })
    await create()
    const before = await rows()
    expect(await create()).toMatchObject({
      status: 409,
      body: {
        detail: { code: 'illegal_transition', message: expect.stringMatching(/Rotate it to replace/) },
      },
    })
    expect(await rows()).toEqual(before)
    await revoke()
    expect(refusal(await revoke())).toEqual([409, 'illegal_transition'])
    expect(refusal(await rotate())).toEqual([409, 'illegal_transition'])
  })

  it('records every step of its states', async () => {
    const { binding, operation_id } = (await create()).body
    await revoke()
    const steps = async (id: string) =>
      (
        await db
          .selectFrom('state_events')
          .select(['from_state', 'to_state'])
          .where('company_id', '=', tenant.companyId)
          .where('entity_id', '=', id)
          .orderBy('id')
          .execute()
      ).map(({ from_state, to_state }) => `${from_state}>${to_state}`)
    expect(await steps(operation_id)).toEqual(['>prepared', 'prepared>applying', 'applying>applied'])
    expect(await steps(binding.id)).toEqual([
      '>pending',
      'pending>active',
      'active>revoking',
      'revoking>revoked',
    ])
  })

  it('has one secret of many that are created at once, and every rotation its own generation', async () => {
    const created = await Promise.all(Array.from({ length: 4 }, () => create()))
    expect(created.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    const rotated = await Promise.all(Array.from({ length: 3 }, () => rotate()))
    const done = rotated.filter(({ status }) => status === 200).map(({ body }) => body.binding.generation)
    expect(done.toSorted()).toEqual([2, 3, 4])
    expect((await rows()).values).toEqual([{ generation: 4 }])
  })

  it('is refused for an archived task, of which it can still be revoked', async () => {
    await create()
    await api.call(taskRoutes.archiveTask, tenant.companyManager, { params: { id: taskId } })
    expect(refusal(await rotate())).toEqual([409, 'task_archived'])
    expect((await revoke()).status).toBe(200)
  })

  it('has at most as many slots of a task as an environment has names', async () => {
    const bindings = Array.from({ length: 100 }, (_, index) => ({
      id: newId('secretBinding'),
      company_id: tenant.companyId,
      consumer_scope: 'chatroom',
      consumer_id: tenant.roomId,
      task_id: taskId,
      slot_name: `SLOT_${index}`,
      generation: 1,
      state: 'active',
      created_by: 'test',
    }))
    await db.insertInto('secret_bindings').values(bindings).execute()
    expect(refusal(await create())).toEqual([409, 'secret_limit_reached'])
  })
})

describe('the key of a write', () => {
  it('is needed, and has a bound', async () => {
    for (const route of [secretRoutes.createSecret, secretRoutes.rotateSecret, secretRoutes.revokeSecret]) {
      const body = {
        ...ofRoom(),
        ...(route !== secretRoutes.revokeSecret && { encrypted_value: await encrypted('text') }),
      }
      const send = (key: string) =>
        secrets.call<{ detail?: unknown }>(route, tenant.roomManager, {
          body,
          headers: { 'idempotency-key': key },
        })
      expect(refusal(await send('  '))).toEqual([422, 'idempotency_key_required'])
      expect((await send('k'.repeat(129))).status).toBe(422)
    }
  })

  it('gives the first answer again, also for the same value in another envelope', async () => {
    const first = await create({ key: 'once' })
    expect((await create({ key: 'once' })).body).toEqual(first.body)
    const rotated = await rotate({ key: 'once' })
    expect((await rotate({ key: 'once' })).body).toEqual(rotated.body)
    const revoked = await revoke({ key: 'once' })
    expect((await revoke({ key: 'once' })).body).toEqual(revoked.body)
    expect((await rows()).operations).toHaveLength(3)
  })

  it('is for one request: another value or another slot is a conflict', async () => {
    await create({ key: 'once' })
    const other = await create({ key: 'once', body: { encrypted_value: await encrypted('other value') } })
    expect(refusal(other)).toEqual([409, 'idempotency_conflict'])
    const elsewhere = await create({ key: 'once', body: ofRoom('OTHER') })
    expect(refusal(elsewhere)).toEqual([409, 'idempotency_conflict'])
  })

  it('knows a request from before a rotation of the pepper until the former one is retired', async () => {
    const first = await create({ key: 'kept' })
    api.keys.secretPepper.rotate()
    expect((await create({ key: 'kept' })).body).toEqual(first.body)
    const other = await create({ key: 'kept', body: { encrypted_value: await encrypted('other value') } })
    expect(refusal(other)).toEqual([409, 'idempotency_conflict'])
    api.keys.secretPepper.retire()
    expect(refusal(await create({ key: 'kept' }))).toEqual([409, 'idempotency_conflict'])
  })

  it('stores nothing by which a value could be guessed', async () => {
    await create({ key: 'once', body: { encrypted_value: await encrypted('1234') } })
    const { rows: found } = await sql<{ row: string }>`
      select k::text as row from idempotency_keys k where company_id = ${tenant.companyId}
      union all select b::text from secret_bindings b where company_id = ${tenant.companyId}
      union all select v::text from secret_values v where company_id = ${tenant.companyId}
      union all select o::text from secret_operations o where company_id = ${tenant.companyId}`.execute(db)
    expect(found).toHaveLength(4)
    for (const { row } of found) {
      expect(row).not.toContain('1234"')
      expect(row).not.toContain(Buffer.from('1234').toString('base64'))
      expect(row).not.toContain(Buffer.from('1234').toString('hex'))
    }
  })

  it('makes one secret of many copies at once', async () => {
    const copies = await Promise.all(Array.from({ length: 5 }, () => create({ key: 'at once' })))
    expect(new Set(copies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect((await rows()).operations).toHaveLength(1)
  })
})

describe('names', () => {
  it.each([
    ['SERVICE_TOKEN', 'pattern'],
    ['1TOKEN', 'pattern'],
    ['TO-KEN', 'pattern'],
    ['', 'pattern'],
    ['T'.repeat(129), 'pattern'],
  ])('of a slot: %s is refused', async (slot, type) => {
    for (const answer of [await create({ body: ofRoom(slot) }), await revoke({ body: ofRoom(slot) })]) {
      expect(answer.status).toBe(422)
      expect(answer.body.detail).toMatchObject([{ type, loc: ['body', 'slot_name'] }])
    }
  })

  it('of other fields are refused, with the scopes that there are not', async () => {
    expect((await create({ body: { note: 'x' } })).status).toBe(422)
    expect((await create({ body: { consumer_scope: 'user' } })).status).toBe(422)
    expect((await revoke({ body: { encrypted_value: null } })).status).toBe(422)
  })
})

describe('who may', () => {
  const asDepartment = () =>
    addressBody({ scope: 'department', id: tenant.departmentId, taskId, slot: 'TOKEN' })
  const asCompany = () => addressBody({ scope: 'company', id: tenant.companyId, taskId, slot: 'TOKEN' })

  it('managers of the consumer, and nobody else', async () => {
    const otherManager = await makeUser(db, {
      companyId: tenant.companyId,
      role: 2,
      managedDepartmentIds: [await makeDepartment(db, tenant.companyId)],
    })
    const allowed: [Principal, () => Record<string, string>][] = [
      [tenant.roomManager, ofRoom],
      [tenant.departmentManager, ofRoom],
      [tenant.companyManager, ofRoom],
      [tenant.departmentManager, asDepartment],
      [tenant.companyManager, asDepartment],
      [tenant.companyManager, asCompany],
    ]
    for (const [as, body] of allowed) {
      expect((await create({ as, body: body() })).status).toBe(200)
      expect((await rotate({ as, body: body() })).status).toBe(200)
      expect((await revoke({ as, body: body() })).status).toBe(200)
    }
    await create()
    const refused: [Principal, () => Record<string, string>][] = [
      [tenant.member, ofRoom],
      [tenant.stranger, ofRoom],
      [otherManager, ofRoom],
      [tenant.roomManager, asDepartment],
      [otherManager, asDepartment],
      [tenant.departmentManager, asCompany],
      [(await makeTenant(db)).companyManager, ofRoom],
    ]
    for (const [as, body] of refused) {
      for (const act of [create, rotate, revoke])
        expect(refusal(await act({ as, body: body() }))).toEqual([404, 'not_found'])
    }
  })

  it('hides consumers and tasks that are not there', async () => {
    const foreign = await makeTenant(db)
    const asked: Record<string, string>[] = [
      { consumer_id: newId('chatroom') },
      { consumer_id: foreign.roomId },
      { consumer_scope: 'department', consumer_id: newId('department') },
      { consumer_scope: 'department', consumer_id: foreign.departmentId },
      { consumer_scope: 'company', consumer_id: foreign.companyId },
      { task_id: newId('task') },
    ]
    for (const body of asked)
      expect(refusal(await create({ as: tenant.companyManager, body }))).toEqual([404, 'not_found'])
  })

  it('hides a task that nothing shares with the caller', async () => {
    const hidden = await tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })
    expect(refusal(await create({ body: { task_id: hidden.id } }))).toEqual([404, 'not_found'])
  })

  it('managers of the consumer revoke a value also when the task is no longer shared with them', async () => {
    await create()
    const shares = await api.must<{ items: { id: string }[] }>(taskRoutes.listShares, tenant.companyManager, {
      params: { id: taskId },
    })
    await api.must(taskRoutes.revokeShare, tenant.companyManager, {
      params: { id: taskId, gid: String(shares.items[0]?.id) },
      body: { reason: 'over' },
    })
    expect(refusal(await rotate())).toEqual([404, 'not_found'])
    expect(refusal(await revoke({ as: tenant.stranger }))).toEqual([404, 'not_found'])
    expect(refusal(await revoke({ body: ofRoom('OTHER') }))).toEqual([404, 'not_found'])
    expect((await revoke()).body).toMatchObject({ binding: { state: 'revoked' } })
    expect((await rows()).values).toEqual([])
  })

  it('no key of sandbox scope', async () => {
    const as = withSandboxKey(tenant.roomManager, [tenant.roomId])
    for (const act of [create, rotate, revoke]) expect((await act({ as })).status).toBe(403)
  })
})

describe('reading', () => {
  const read = (id: string, as: Principal) =>
    secrets.call<SecretBinding & { detail?: unknown }>(secretRoutes.readSecret, as, { params: { id } })
  const ofTask = (as: Principal, query: Record<string, string> = {}) =>
    secrets.call<SecretBindingList>(secretRoutes.listTaskSecrets, as, { params: { id: taskId }, query })
  const ofConsumer = (as: Principal, query: Record<string, string>) =>
    secrets.call<SecretBindingList & { detail?: unknown }>(secretRoutes.listSecrets, as, { query })
  const slots = ({ body }: { body: SecretBindingList }) => body.items.map(({ slot_name }) => slot_name)

  it('shows a secret without its value to managers of its consumer alone', async () => {
    const { binding } = (await create()).body
    expect((await read(binding.id, tenant.roomManager)).body).toEqual(binding)
    for (const as of [tenant.member, tenant.stranger, (await makeTenant(db)).companyManager])
      expect(refusal(await read(binding.id, as))).toEqual([404, 'not_found'])
    expect(refusal(await read(newId('secretBinding'), tenant.companyManager))).toEqual([404, 'not_found'])
    await revoke()
    expect((await read(binding.id, tenant.roomManager)).body).toMatchObject({ state: 'revoked' })
  })

  it('lists the secrets of a task by the consumers that the caller manages', async () => {
    await create()
    const departments = {
      consumer_scope: 'department',
      consumer_id: tenant.departmentId,
      slot_name: 'OF_DEPARTMENT',
    }
    await create({ as: tenant.departmentManager, body: departments })
    const companies = { consumer_scope: 'company', consumer_id: tenant.companyId, slot_name: 'OF_COMPANY' }
    await create({ as: tenant.companyManager, body: companies })
    expect(slots(await ofTask(tenant.companyManager))).toEqual(['TOKEN', 'OF_DEPARTMENT', 'OF_COMPANY'])
    expect(slots(await ofTask(tenant.departmentManager))).toEqual(['TOKEN', 'OF_DEPARTMENT'])
    expect(slots(await ofTask(tenant.roomManager))).toEqual(['TOKEN'])
    expect(slots(await ofTask(tenant.member))).toEqual([])
    expect((await ofTask(tenant.stranger)).status).toBe(404)
  })

  it('are paged, and filtered by lifecycle', async () => {
    await create()
    await create({ body: ofRoom('SECOND') })
    const first = await ofTask(tenant.roomManager, { page_size: '1' })
    expect(first.body).toMatchObject({ page_size: 1, truncated: true })
    const second = await ofTask(tenant.roomManager, {
      page_size: '1',
      page_token: first.body.next_page_token ?? '',
    })
    expect(second.body).toMatchObject({
      items: [{ slot_name: 'SECOND' }],
      truncated: false,
      next_page_token: null,
    })
    await revoke()
    expect(slots(await ofTask(tenant.roomManager))).toEqual(['SECOND'])
    expect(slots(await ofTask(tenant.roomManager, { lifecycle: 'retired' }))).toEqual(['TOKEN'])
    expect(slots(await ofTask(tenant.roomManager, { lifecycle: 'all' }))).toEqual(['TOKEN', 'SECOND'])
  })

  it('looks up the secrets of one consumer, which has to be named', async () => {
    await create()
    await create({ body: ofRoom('SECOND') })
    const consumer = { consumer_scope: 'chatroom', consumer_id: tenant.roomId }
    expect(slots(await ofConsumer(tenant.roomManager, consumer))).toEqual(['TOKEN', 'SECOND'])
    expect(slots(await ofConsumer(tenant.roomManager, { ...consumer, slot_name: 'SECOND' }))).toEqual([
      'SECOND',
    ])
    expect(slots(await ofConsumer(tenant.roomManager, { ...consumer, task_id: newId('task') }))).toEqual([])
    expect(refusal(await ofConsumer(tenant.member, consumer))).toEqual([404, 'not_found'])
    const foreign = (await makeTenant(db)).companyManager
    expect(slots(await ofConsumer(foreign, consumer))).toEqual([])
    for (const query of [{}, { consumer_scope: 'chatroom' }, { consumer_id: tenant.roomId }] as Record<
      string,
      string
    >[])
      expect((await ofConsumer(tenant.roomManager, query)).status).toBe(422)
  })
})

describe('keys that cannot be used', () => {
  it('answer 503 for the pepper: wrong mode, wrong length', async () => {
    const pepper = (content: string, mode: number) => {
      const broken = new SecretSteps(new TestApi(db))
      writeFileSync(join(broken.keysFolder, 'secret-pepper.key'), content)
      chmodSync(join(broken.keysFolder, 'secret-pepper.key'), mode)
      return broken
    }
    const body = { ...ofRoom(), encrypted_value: await encrypted('a value') }
    for (const broken of [pepper('ab'.repeat(32), 0o644), pepper('ab', 0o600), pepper('', 0o600)]) {
      for (const route of [secretRoutes.createSecret, secretRoutes.rotateSecret])
        expect(refusal(await broken.call(route, tenant.roomManager, { body }))).toEqual([
          503,
          'sandbox_secret_pepper_missing',
        ])
    }
    expect(await rows()).toEqual({ secrets: [], values: [], operations: [], keys: [] })
  })

  it('answer 503 for the key that stored secrets are under', async () => {
    const broken = new SecretSteps(new TestApi(db))
    chmodSync(join(broken.wrappingKeysFolder, '1.key'), 0o666)
    const body = { ...ofRoom(), encrypted_value: await encrypted('a value') }
    const answer = await broken.call(secretRoutes.createSecret, tenant.roomManager, { body })
    expect(refusal(answer)).toEqual([503, 'sandbox_vault_unconfigured'])
    expect(await rows()).toEqual({ secrets: [], values: [], operations: [], keys: [] })
  })
})

it('is not created where the quota of the company is used up, and can still be rotated and revoked', async () => {
  expect((await create()).status).toBe(200)
  await setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { kept_bytes_limit: 1 })
  const other = await create({ body: ofRoom('OTHER') })
  expect(refusal(other)).toEqual([409, 'storage_quota_exceeded'])
  expect((await rows()).secrets).toEqual([{ state: 'active' }])
  expect((await rotate()).status).toBe(200)
  expect((await revoke()).status).toBe(200)
  expect(refusal(await create())).toEqual([409, 'storage_quota_exceeded'])
})
