import { doorRoutes } from '@sandbox-jobs/contract/routes/door-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, codeOf } from '../../../testing/apps/answer.ts'
import { DoorSteps } from '../../../testing/apps/steps/door-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const doors = new DoorSteps(api)
let tenant: Tenant
let environment_version_id: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  environment_version_id = (await makeEnvironmentVersion(db, { companyId: tenant.companyId })).id
})

interface Change {
  as?: Principal
  room?: string
  body?: Record<string, unknown>
}

const create = ({ as = tenant.roomManager, room = tenant.roomId, body = {} }: Change = {}) =>
  api.call(doorRoutes.createDoor, as, {
    params: { cid: room },
    body: {
      name: 'Dify',
      kind: 'dify',
      runtimes: [{ language: 'python3', environment_version_id }],
      ...body,
    },
  })
const refusal = (answer: Answer) => [answer.status, codeOf(answer)]
const ofRoom = (did?: string) => ({ params: { cid: tenant.roomId, ...(did && { did }) } })
const rows = async () =>
  (await db.selectFrom('doors').select('id').where('company_id', '=', tenant.companyId).execute()).length

describe('a door', () => {
  it('is created with defaults for what is known, and its key is shown once', async () => {
    const made = await create()
    expect(made.status).toBe(200)
    const { door_key, ...door } = made.body
    expect(door_key).toMatch(/^sbd_[A-Za-z0-9_-]{43}$/)
    expect(door).toMatchObject({
      chatroom_id: tenant.roomId,
      path: '/doors/dify',
      network: true,
      timeout_seconds: 30,
      owner_user_id: tenant.roomManager.principalId,
      last_used_at: null,
      runtimes: [
        {
          language: 'python3',
          version: '1.0.0',
          aliases: ['python', 'py', 'py3'],
          environment_version_id,
          run_command: 'exec python3 "$@"',
          compile_command: null,
        },
      ],
    })
    const list = await api.call(doorRoutes.listDoors, tenant.companyManager, ofRoom())
    expect(list.body.items).toEqual([door])
    expect((await api.call(doorRoutes.readDoor, tenant.departmentManager, ofRoom(door.id))).body).toEqual(
      door,
    )
    const stored = await db
      .selectFrom('doors')
      .selectAll()
      .where('id', '=', door.id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(stored)).not.toContain(door_key.slice(4))
  })

  it('has no network and its own commands where the request says so', async () => {
    const own = { language: 'toy', version: '2.0.1', environment_version_id, run_command: 'toy "$1"' }
    const made = await create({ body: { kind: 'piston', runtimes: [own], timeout_seconds: 300 } })
    expect(made.body).toMatchObject({
      network: false,
      timeout_seconds: 300,
      runtimes: [{ language: 'toy', version: '2.0.1', aliases: [], compile_command: null }],
    })
  })

  it('is of managers of the room alone', async () => {
    const { body: door } = await create()
    const foreign = await makeTenant(db)
    for (const who of [tenant.member, tenant.stranger, foreign.companyManager]) {
      expect(refusal(await create({ as: who }))).toEqual([404, 'not_found'])
      for (const route of [doorRoutes.listDoors, doorRoutes.readDoor, doorRoutes.deleteDoor])
        expect((await api.call(route, who, ofRoom(door.id))).status).toBe(404)
    }
    const apiKey = { id: 'key_1', scope: 'sandbox' as const, allowedChatroomIds: [tenant.roomId] }
    expect((await create({ as: { ...tenant.roomManager, apiKey } })).status).toBe(403)
    expect(await rows()).toBe(1)
  })

  it('is hidden from another room of the company', async () => {
    const { body: door } = await create()
    const other = await makeTenant(db)
    const params = { cid: other.roomId, did: door.id }
    expect((await api.call(doorRoutes.readDoor, other.companyManager, { params })).status).toBe(404)
    expect((await api.call(doorRoutes.deleteDoor, other.companyManager, { params })).status).toBe(404)
    expect(await rows()).toBe(1)
  })

  it.each<[string, () => Record<string, unknown>, unknown[]]>([
    [
      'an unknown language without a command',
      () => ({ runtimes: [{ language: 'toy', environment_version_id }] }),
      ['body', 'runtimes', 0, 'run_command'],
    ],
    [
      'a language twice',
      () => ({ runtimes: [1, 2].map(() => ({ language: 'python', environment_version_id })) }),
      ['body', 'runtimes', 1, 'language'],
    ],
    ['no language', () => ({ runtimes: [] }), ['body', 'runtimes']],
    [
      'a version of another form',
      () => ({ runtimes: [{ language: 'python', version: '3', environment_version_id }] }),
      ['body', 'runtimes', 0, 'version'],
    ],
    ['a time that is too long', () => ({ timeout_seconds: 301 }), ['body', 'timeout_seconds']],
    ['an unknown platform', () => ({ kind: 'other' }), ['body', 'kind']],
  ])('is refused with %s, and nothing is stored', async (_what, body, loc) => {
    const answer = await create({ body: body() })
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc })])
    expect(await rows()).toBe(0)
  })

  it('is refused for environments that are foreign or not ready, for a name in use, and beyond the limit', async () => {
    const on = (id: string) => ({ runtimes: [{ language: 'python', environment_version_id: id }] })
    const foreign = await makeEnvironmentVersion(db, { companyId: (await makeTenant(db)).companyId })
    const unready = await makeEnvironmentVersion(db, { companyId: tenant.companyId, state: 'building' })
    expect(refusal(await create({ body: on(foreign.id) }))).toEqual([404, 'not_found'])
    expect(refusal(await create({ body: on(unready.id) }))).toEqual([409, 'environment_version_not_ready'])
    expect((await create()).status).toBe(200)
    expect(refusal(await create())).toEqual([409, 'already_exists'])
    const answers = await Promise.all(
      Array.from({ length: 52 }, (_, at) => create({ body: { name: `Door ${at}` } })),
    )
    expect(answers.map(refusal).filter(([status]) => status === 409)).toEqual(
      [1, 2, 3].map(() => [409, 'door_limit']),
    )
    expect(await rows()).toBe(50)
  })

  it('ends with its key when it is removed', async () => {
    const { body: door } = await create()
    const headers = { 'x-api-key': door.door_key }
    const list = {
      method: 'GET',
      path: '/doors/dify/v1/sandbox/dependencies?language=ruby',
      headers,
    } as const
    expect((await doors.send(list)).status).toBe(400)
    const used = await api.call(doorRoutes.readDoor, tenant.roomManager, ofRoom(door.id))
    expect(used.body.last_used_at).not.toBeNull()
    expect((await api.call(doorRoutes.deleteDoor, tenant.roomManager, ofRoom(door.id))).status).toBe(200)
    expect((await doors.send(list)).status).toBe(401)
    expect(
      await db.selectFrom('door_runtimes').select('place').where('door_id', '=', door.id).execute(),
    ).toEqual([])
  })
})

it('the key of a door is no key of the service, and keys of the service open no door', async () => {
  const { body: door } = await create()
  const headers = { 'x-api-key': door.door_key }
  const answer = await api.app.inject({
    url: runRoutes.listRuns.path.replace('{cid}', tenant.roomId),
    headers,
  })
  expect(answer.statusCode).toBe(418)
  const path = '/doors/dify/v1/sandbox/dependencies?language=python3'
  for (const key of [`sbx_${door.door_key.slice(4)}`, door.door_key.slice(0, -1), ''])
    expect((await doors.send({ method: 'GET', path, headers: { 'x-api-key': key } })).status).toBe(401)
})
