import { createHash } from 'node:crypto'
import { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { RunContent } from '@sandbox-jobs/contract/resources/runs/run-content.ts'
import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeExecutor } from '../../../testing/factories/executors.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeRoom, makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'
import { newId } from '../../base/ids.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { validatorOf } from '../../http/requests/validation.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const capacity = runCapacity({ slots: 4 })
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

const queue = (fields: Parameters<typeof makeRun>[2] | Record<string, never> = {}) =>
  makeRun(db, task, { chatroom_id: tenant.roomId, ...fields })

/** A run that has ended and left an output, a log and two artifacts, stored as a worker stores them. */
async function ended(): Promise<{ id: string; artifactIds: string[] }> {
  const id = await queue({
    chatroom_id: tenant.roomId,
    state: 'completed',
    exit_code: 0,
    terminal_at: new Date(),
  })
  const stored = async (name: string, text: string) => {
    await api.storage.put(`runs/${id}/${name}`, Buffer.from(text))
    return `runs/${id}/${name}`
  }
  await db
    .insertInto('run_contents')
    .values({
      run_id: id,
      company_id: tenant.companyId,
      output_key: await stored('output', '{"sum":3}'),
      output_bytes: 9,
      output_digest: sha256('{"sum":3}'),
      log_key: await stored('log', '<script>log</script>'),
      log_bytes: 20,
      log_digest: sha256('<script>log</script>'),
      bundle_key: await stored('bundle', 'firstsecond'),
      bundle_bytes: 11,
    })
    .execute()
  const artifact = (relative_path: string, bundle_offset: number, text: string) => ({
    id: newId('artifact'),
    run_id: id,
    company_id: tenant.companyId,
    relative_path,
    path_hash: sha256(relative_path),
    bundle_offset,
    byte_size: text.length,
    digest: sha256(text),
    declared_content_type: 'application/octet-stream',
  })
  const rows = [artifact('z/chárt "1".svg', 0, 'first'), artifact('a.txt', 5, 'second')]
  await db.insertInto('run_artifacts').values(rows).execute()
  return { id, artifactIds: rows.map((row) => row.id) }
}

interface Target {
  rid?: string
  aid?: string
  cid?: string
  query?: Record<string, string | string[]>
}

const call = <R extends Route>(route: R, as: Principal | null, { query, ...params }: Target = {}) =>
  api.call<R>(route, as, { params: { cid: tenant.roomId, ...params }, ...(query && { query }) })

const withKey = (principal: Principal, id = newId('apiKey')): Principal => ({
  ...principal,
  authMethod: 'api_key',
  apiKey: { id, scope: 'sandbox', allowedChatroomIds: [tenant.roomId] },
})

describe('reading a run', () => {
  it('shows it in the shape of the contract, with its place in the queue', async () => {
    await db
      .updateTable('runs')
      .set({ state: 'cancelled', terminal_at: new Date() })
      .where('state', '=', 'queued')
      .execute()
    const [first, second] = [await queue(), await queue()]
    const answers = [
      await call(runRoutes.readRun, tenant.member, { rid: first }),
      await call(runRoutes.readRun, tenant.member, { rid: second }),
    ]
    for (const answer of answers) validatorOf('body', RunDetail)(answer.body)
    expect(answers.map((answer) => answer.body.queue_position)).toEqual([1, 2])
    expect(answers[0]?.body).toMatchObject({
      id: first,
      status: 'queued',
      wait_reason: 'awaiting_dispatch',
    })
  })

  it('has a wait reason only while it waits, and a hint only for a failure', async () => {
    const shown = async (fields: Record<string, unknown>) => {
      const rid = await queue({ chatroom_id: tenant.roomId, worker: 'w', sandbox_id: 's', ...fields })
      return (await call(runRoutes.readRun, tenant.member, { rid })).body
    }
    expect(await shown({ state: 'starting', claimed_at: new Date() })).toMatchObject({
      wait_reason: 'container_starting',
    })
    expect(await shown({ state: 'running' })).toMatchObject({
      wait_reason: '',
      next_action: '',
      queue_position: null,
    })
    expect(await shown({ state: 'cancel_requested' })).toMatchObject({ wait_reason: 'cancel_pending' })
    const failure = {
      state: 'customer_failed',
      error_code: 'timeout',
      failure_stage: 'timeout',
      terminal_at: new Date(),
    }
    expect((await shown(failure)).failure_hint).toContain('deadline')
  })

  it('estimates the wait from what such runs took', async () => {
    await db
      .updateTable('runs')
      .set({ state: 'cancelled', terminal_at: new Date() })
      .where('state', '=', 'queued')
      .execute()
    const [started_at, terminal_at] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:00:30Z')]
    await queue({ chatroom_id: tenant.roomId, state: 'completed', exit_code: 0, started_at, terminal_at })
    const rid = await queue()
    expect((await call(runRoutes.readRun, tenant.member, { rid })).body).toMatchObject({
      queue_position: 1,
      eta_seconds: 30,
    })
  })

  it('says who holds it up', async () => {
    const rid = await queue()
    const reason = async () => (await call(runRoutes.readRun, tenant.member, { rid })).body.wait_reason
    const other = await makeTenant(db)
    const others = await makeRunnableTask(db, other.companyId)
    const running = { state: 'running', worker: 'w', sandbox_id: 's' } as const
    for (let count = 0; count < 16; count += 1)
      await makeRun(db, others, { chatroom_id: other.roomId, ...running })
    expect(await reason()).toBe('provider_capacity_exhausted')
    for (let count = 0; count < 14; count += 1) await queue({ chatroom_id: tenant.roomId, ...running })
    expect(await reason()).toBe('company_saturated')
  })

  it('counts neither the slots nor the runs of an executor that drains', async () => {
    await db.updateTable('runs').set({ state: 'cancelled', terminal_at: new Date() }).execute()
    const rid = await queue()
    const reason = async () => (await call(runRoutes.readRun, tenant.member, { rid })).body.wait_reason
    const other = await makeTenant(db)
    const others = await makeRunnableTask(db, other.companyId)
    const [drains, claims] = ['1'.repeat(32), '2'.repeat(32)]
    await makeExecutor(db, drains, { capacity, draining: true })
    await makeExecutor(db, claims, { capacity })
    const runOn = async (executor: string) => {
      const running = { state: 'running', worker: 'w', sandbox_id: 's', executor } as const
      for (let count = 0; count < capacity.slots; count += 1)
        await makeRun(db, others, { chatroom_id: other.roomId, ...running })
    }
    await runOn(drains)
    expect(await reason()).toBe('awaiting_dispatch')
    await runOn(claims)
    expect(await reason()).toBe('provider_capacity_exhausted')
    await sql`truncate executors cascade`.execute(db)
  })

  it('hides it behind one answer from everyone who may not', async () => {
    const { id: rid, artifactIds } = await ended()
    const foreign = await makeTenant(db)
    const otherRoom = await makeRoom(db, tenant)
    const keys = [withKey(tenant.member)]
    const bodies = new Set<string>()
    const routes: Route[] = [
      runRoutes.readRun,
      runRoutes.readRunContent,
      runRoutes.listRunArtifacts,
      runRoutes.cancelRun,
    ]
    routes.push(runRoutes.createDownloadCapability)
    const aid = artifactIds[0] ?? ''
    for (const route of routes) {
      for (const as of [tenant.stranger, foreign.companyManager, ...keys]) {
        const answer = await call(route, as, { rid, aid })
        expect([route.path, answer.status]).toEqual([route.path, 404])
        bodies.add(answer.text)
      }
      for (const target of [{ rid: newId('run') }, { rid, cid: otherRoom }, { rid: 'x' }]) {
        const answer = await call(route, tenant.companyManager, { aid, ...target })
        expect([route.path, answer.status]).toEqual([route.path, 404])
        bodies.add(answer.text)
      }
    }
    expect(bodies.size).toBe(1)
  })

  it('shows a restricted key its own runs and no others', async () => {
    const key = withKey(tenant.member)
    const own = await queue({
      chatroom_id: tenant.roomId,
      api_key_id: key.apiKey?.id ?? '',
      auth_method: 'api_key',
    })
    await queue()
    expect((await call(runRoutes.readRun, key, { rid: own })).status).toBe(200)
    const list = (await call(runRoutes.listRuns, key)).body
    expect(list.items.map((item: { id: string }) => item.id)).toEqual([own])
    expect((await call(runRoutes.cancelRun, key, { rid: own })).body).toMatchObject({ status: 'cancelled' })
  })
})

describe('listing runs', () => {
  it('goes through all of them once, newest first, page by page', async () => {
    const instants: string[][] = [[], [], []]
    for (const [second, ids] of instants.entries()) {
      const queued_at = new Date(Date.UTC(2026, 0, 1, 0, 0, second))
      while (ids.length < 3) ids.push(await queue({ chatroom_id: tenant.roomId, queued_at }))
    }
    // Those of one millisecond have no order but that of their ids.
    const newestFirst = instants.flatMap((ids) => ids.toSorted()).toReversed()
    const seen: string[] = []
    let page_token: string | null = ''
    for (let pages = 0; pages < 5; pages += 1) {
      const query: Record<string, string> = { page_size: '2', ...(page_token && { page_token }) }
      const page = (await call(runRoutes.listRuns, tenant.member, { query })).body
      seen.push(...page.items.map((item: { id: string }) => item.id))
      expect(page.page_size).toBe(2)
      page_token = page.next_page_token
    }
    expect(page_token).toBeNull()
    expect(seen).toEqual(newestFirst)
  })

  it('filters by status, and starts again on a token it cannot read', async () => {
    const queued = await queue()
    const done = (await ended()).id
    const list = async (query: Record<string, string | string[]>) =>
      (await call(runRoutes.listRuns, tenant.member, { query })).body.items?.map(
        (item: { id: string }) => item.id,
      )
    expect(await list({ status: 'queued' })).toEqual([queued])
    expect(await list({ status: ['completed', 'queued'] })).toEqual([done, queued])
    expect(await list({ page_token: 'garbage' })).toEqual([done, queued])
    const bad = await call(runRoutes.listRuns, tenant.member, { query: { status: 'done' } })
    expect(bad.status).toBe(422)
  })
})

describe('what a run left', () => {
  it('is shown as flags', async () => {
    const queued = await queue()
    const missing = (await call(runRoutes.readRunContent, tenant.member, { rid: queued })).body
    validatorOf('body', RunContent)(missing)
    expect(missing).toMatchObject({ state: 'missing', has_input: true, has_output: false, has_log: false })
    const { id: rid } = await ended()
    const full = (await call(runRoutes.readRunContent, tenant.member, { rid })).body
    expect(full).toMatchObject({
      state: 'active',
      has_output: true,
      has_log: true,
      has_artifact_bundle: true,
    })
  })

  it('lists artifacts by path, page by page, without the retired ones', async () => {
    const { id: rid, artifactIds } = await ended()
    const paths = async (query: Record<string, string>) => {
      const page = (await call(runRoutes.listRunArtifacts, tenant.member, { rid, query })).body
      return [page.items.map((item) => item.relative_path), page.next_page_token] as const
    }
    const [first, token] = await paths({ page_size: '1' })
    expect(first).toEqual(['a.txt'])
    expect(await paths({ page_size: '1', page_token: token ?? '' })).toEqual([['z/chárt "1".svg'], null])
    await db
      .updateTable('run_artifacts')
      .set({ deletion_state: 'deleted' })
      .where('id', '=', artifactIds[0] ?? '')
      .execute()
    expect(await paths({})).toEqual([['a.txt'], null])
    expect(await paths({ lifecycle: 'retired' })).toEqual([['z/chárt "1".svg'], null])
  })

  it('gives leave to download an artifact for five minutes', async () => {
    const { id: rid, artifactIds } = await ended()
    const answer = await call(runRoutes.createDownloadCapability, tenant.member, {
      rid,
      aid: artifactIds[0] ?? '',
    })
    expect(answer.body).toMatchObject({
      artifact_id: artifactIds[0],
      content_disposition: `attachment; filename="ch_rt _1_.svg"; filename*=UTF-8''ch%C3%A1rt%20%221%22.svg`,
      x_content_type_options: 'nosniff',
    })
    const left = new Date(answer.body.expires_at).getTime() - Date.now()
    expect(left).toBeGreaterThan(290_000)
    expect(left).toBeLessThanOrEqual(300_000)
  })
})

describe('a public link', () => {
  const fetchLink = (token: string) => api.call(publicLinkRoutes.downloadByToken, null, { params: { token } })

  it('hands the log to anyone, as a download that no browser renders', async () => {
    const { id: rid } = await ended()
    const link = (await call(publicLinkRoutes.mintLogLink, tenant.member, { rid })).body
    expect(link).toMatchObject({ run_id: rid, object_kind: 'log', revoked: false })
    expect(link.url).toBe(`http://test/public/sandbox/artifacts/${link.token}`)
    const answer = await fetchLink(link.token)
    expect([answer.status, answer.text]).toEqual([200, '<script>log</script>'])
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${rid}.log"`,
      'content-length': '20',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    expect(answer.headers['content-security-policy']).toContain('sandbox')
  })

  it('to an artifact hands out its own bytes of the bundle', async () => {
    const { id: rid, artifactIds } = await ended()
    for (const [index, text] of ['first', 'second'].entries()) {
      const aid = artifactIds[index] ?? ''
      const link = (await call(publicLinkRoutes.mintArtifactLink, tenant.member, { rid, aid })).body
      expect(link).toMatchObject({ artifact_id: aid, object_kind: 'artifact' })
      expect((await fetchLink(link.token)).text).toBe(text)
    }
  })

  it('stays the same until it is revoked, also when many mint it at once', async () => {
    const { id: rid } = await ended()
    const mint = async () => (await call(publicLinkRoutes.mintOutputLink, tenant.member, { rid })).body.token
    const tokens = new Set(await Promise.all(Array.from({ length: 10 }, mint)))
    expect(tokens.size).toBe(1)
    const [token = ''] = tokens
    const revoked = (await call(publicLinkRoutes.revokeOutputLink, tenant.member, { rid })).body
    expect(revoked).toMatchObject({ token, revoked: true })
    expect((await fetchLink(token)).status).toBe(404)
    expect((await call(publicLinkRoutes.revokeOutputLink, tenant.member, { rid })).body).toMatchObject({
      token,
      revoked: true,
    })
    const next = await mint()
    expect(next).not.toBe(token)
    expect((await fetchLink(next)).text).toBe('{"sum":3}')
  })

  it('that never was is revoked with a placeholder', async () => {
    const { id: rid } = await ended()
    const answer = (await call(publicLinkRoutes.revokeLogLink, tenant.member, { rid })).body
    expect(answer).toMatchObject({ url: '', token: '0'.repeat(16), revoked: true, created_at: null })
    expect((await fetchLink('0'.repeat(16))).status).toBe(404)
  })

  it('is not minted for what is not there, nor for who may not read the run', async () => {
    const rid = await queue()
    for (const route of [publicLinkRoutes.mintLogLink, publicLinkRoutes.mintOutputLink]) {
      expect((await call(route, tenant.member, { rid })).status).toBe(404)
      const { id } = await ended()
      expect((await call(route, tenant.stranger, { rid: id })).status).toBe(404)
      expect((await call(route, withKey(tenant.member), { rid: id })).status).toBe(405)
    }
  })

  it('hands out nothing that is not what was stored', async () => {
    const { id: rid, artifactIds } = await ended()
    const aid = artifactIds[1] ?? ''
    const link = (await call(publicLinkRoutes.mintArtifactLink, tenant.member, { rid, aid })).body
    await api.storage.put(`runs/${rid}/bundle`, Buffer.from('firstsec0nd'))
    const answer = await fetchLink(link.token)
    expect([answer.status, answer.body.detail.code]).toEqual([503, 'storage_unavailable'])
    await api.storage.delete(`runs/${rid}/bundle`)
    expect((await fetchLink(link.token)).status).toBe(404)
  })

  it('hands out an object of any size after its check', async () => {
    const { id: rid } = await ended()
    const { token } = (await call(publicLinkRoutes.mintOutputLink, tenant.member, { rid })).body
    for (const byteSize of [0, 1024 * 1024, 1024 * 1024 + 1]) {
      const content = 'x'.repeat(byteSize)
      await api.storage.put(`runs/${rid}/output`, Buffer.from(content))
      const set = { output_bytes: byteSize, output_digest: sha256(content) }
      await db.updateTable('run_contents').set(set).where('run_id', '=', rid).execute()
      expect((await fetchLink(token)).text).toBe(content)
    }
  })

  it('ends when its object is retired', async () => {
    const { id: rid, artifactIds } = await ended()
    const aid = artifactIds[0] ?? ''
    const token = (await call(publicLinkRoutes.mintArtifactLink, tenant.member, { rid, aid })).body.token
    await db
      .updateTable('run_artifacts')
      .set({ deletion_state: 'delete_pending' })
      .where('id', '=', aid)
      .execute()
    expect((await fetchLink(token)).status).toBe(404)
    expect((await call(publicLinkRoutes.mintArtifactLink, tenant.member, { rid, aid })).status).toBe(404)
  })

  it('cannot be guessed from the database', async () => {
    const { id: rid } = await ended()
    const { token } = (await call(publicLinkRoutes.mintLogLink, tenant.member, { rid })).body
    const row = await db
      .selectFrom('public_links')
      .selectAll()
      .where('run_id', '=', rid)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(token)
    expect((await fetchLink(row.token_hash.toString('base64url'))).status).toBe(404)
  })
})
