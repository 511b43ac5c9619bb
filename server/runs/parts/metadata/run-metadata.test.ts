import { randomUUID } from 'node:crypto'
import {
  extendedSubmitBodyMaxBytes,
  metadataEntriesMax,
  metadataFiltersMax,
  metadataKeyMaxLength,
  metadataValueMaxLength,
} from '@sandbox-jobs/contract/limits.ts'
import { extendedRunRoutes } from '@sandbox-jobs/contract/routes/extended-run-routes.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeEach, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeRunnableTask, type RunnableTask } from '../../../../testing/factories/runs.ts'
import { addMember, makeRoom, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let task: RunnableTask
beforeEach(async () => {
  // The queue of all companies is bounded.
  await db.updateTable('runs').set({ state: 'cancelled', terminal_at: new Date() }).execute()
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const submit = (metadata: unknown, who = tenant.member, cid = tenant.roomId, key: string = randomUUID()) =>
  api.call(extendedRunRoutes.submitExtendedRun, who, {
    params: { cid },
    headers: { 'idempotency-key': key },
    body: { task_version_id: task.versionId, input: {}, metadata },
  })
const list = async (query: Record<string, string | string[]>, who = tenant.member) =>
  (await api.call(extendedRunRoutes.listExtendedRuns, who, { params: { cid: tenant.roomId }, query })).body
const ids = async (query: Record<string, string | string[]>, who?: Principal) =>
  (await list(query, who)).items.map(({ id }) => id)

it('is shown by the routes of the extension, and by none of the contract', async () => {
  const metadata = { external_user: 'LINE:U42 größe', 'order.no': '7' }
  const { status, body } = await submit(metadata)
  expect([status, body.metadata, body.files]).toEqual([200, metadata, []])
  const params = { cid: tenant.roomId, rid: body.id }
  expect((await api.call(extendedRunRoutes.readExtendedRun, tenant.member, { params })).body).toEqual(body)
  expect((await list({})).items).toEqual([body])
  const run = await api.call(runRoutes.readRun, tenant.member, { params })
  expect(run.body).not.toHaveProperty('metadata')
  expect(run.body).not.toHaveProperty('files')
})

it('filters the runs of a room, by all pairs that are given, page by page', async () => {
  const user = (name: string, more = {}) => submit({ external_user: name, ...more })
  const made: string[] = []
  for (const [name, more] of [
    ['a', { kind: 'x' }],
    ['b', { kind: 'x' }],
    ['a', { kind: 'y' }],
    ['a', { kind: 'x', more: '=' }],
  ] as const) {
    made.push((await user(name, more)).body.id)
  }
  const [first, , third, fourth] = made
  expect(await ids({ metadata: 'external_user=a' })).toEqual([fourth, third, first])
  expect(await ids({ metadata: ['external_user=a', 'kind=x'] })).toEqual([fourth, first])
  expect(await ids({ metadata: ['more=='] })).toEqual([fourth])
  expect(await ids({ metadata: 'external_user=c' })).toEqual([])
  expect(await ids({ metadata: 'external_user=a', status: 'completed' })).toEqual([])
  const one = await list({ metadata: 'external_user=a', page_size: '2' })
  expect(one.items.map(({ id }) => id)).toEqual([fourth, third])
  const two = { metadata: 'external_user=a', page_size: '2', page_token: one.next_page_token ?? '' }
  expect(await ids(two)).toEqual([first])
})

it('is that of the room, the company and, for a key, its own runs', async () => {
  const key: Principal = {
    ...tenant.member,
    authMethod: 'api_key',
    apiKey: { id: 'key_1', scope: 'sandbox', allowedChatroomIds: [tenant.roomId] },
  }
  const mine = (await submit({ a: '1' }, key)).body.id
  const theirs = (await submit({ a: '1' })).body.id
  const room = await makeRoom(db, tenant)
  await addMember(db, { companyId: tenant.companyId, roomId: room, userId: tenant.member.principalId })
  expect((await submit({ a: '1' }, tenant.member, room)).status).toBe(200)
  expect(await ids({ metadata: 'a=1' })).toEqual([theirs, mine])
  expect(await ids({ metadata: 'a=1' }, key)).toEqual([mine])
})

it('has limits, and a refused one leaves no run', async () => {
  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, '1']))
  const largest = Object.fromEntries(
    Array.from({ length: metadataEntriesMax }, (_, at) => [
      `${at}`.padStart(metadataKeyMaxLength, 'k'),
      '🙂'.repeat(metadataValueMaxLength),
    ]),
  )
  expect((await submit(entries(metadataEntriesMax))).status).toBe(200)
  expect((await submit(largest)).body.metadata).toEqual(largest)
  expect(JSON.stringify(largest).length * 6).toBeLessThan(extendedSubmitBodyMaxBytes)
  const before = await ids({})
  for (const wrong of [
    entries(metadataEntriesMax + 1),
    { [`k${'k'.repeat(metadataKeyMaxLength)}`]: '1' },
    { a: '1'.repeat(metadataValueMaxLength + 1) },
    { a: '' },
    { a: 'a\0' },
    { a: 1 },
    { a: null },
    { 'a b': '1' },
    { 'a\nb': 1 },
    { '': '1' },
    { ['__proto__']: '1' },
    ['a'],
    'a',
  ]) {
    expect([wrong, (await submit(wrong)).status]).toEqual([wrong, 422])
  }
  expect(await ids({})).toEqual(before)
  for (const metadata of [
    'a',
    '=1',
    'a=',
    'a b=1',
    Array.from({ length: metadataFiltersMax + 1 }, () => 'a=1'),
  ]) {
    const answer = await api.call(extendedRunRoutes.listExtendedRuns, tenant.member, {
      params: { cid: tenant.roomId },
      query: { metadata },
    })
    expect([metadata, answer.status]).toEqual([metadata, 422])
  }
})

it('is part of what a key was first used for, and goes with the content of its run', async () => {
  const { body: run } = await submit({ a: '1' }, tenant.member, tenant.roomId, 'same')
  expect((await submit({ a: '1' }, tenant.member, tenant.roomId, 'same')).body).toEqual(run)
  expect((await submit({ a: '2' }, tenant.member, tenant.roomId, 'same')).status).toBe(409)
  expect((await submit({}, tenant.member, tenant.roomId, 'same')).status).toBe(409)
  await db.updateTable('runs').set({ state: 'cancelled', terminal_at: new Date() }).execute()

  const params = { cid: tenant.roomId, rid: run.id }
  expect((await api.call(extensionRoutes.deleteRunContent, tenant.roomManager, { params })).status).toBe(200)
  expect(
    (await api.call(extendedRunRoutes.readExtendedRun, tenant.member, { params })).body.metadata,
  ).toEqual({})
  expect(await ids({ metadata: 'a=1' })).toEqual([])
})
