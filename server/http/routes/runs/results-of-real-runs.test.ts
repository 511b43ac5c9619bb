import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunResult } from '@sandbox-jobs/contract/resources/runs/run-result.ts'
import { linkRoutes } from '@sandbox-jobs/contract/routes/link-routes.ts'
import { resultRoutes } from '@sandbox-jobs/contract/routes/result-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CallOptions } from '../../../../testing/apps/caller.ts'
import { RealRuns } from '../../../../testing/apps/real-runs.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeRun, type RunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'

/* Results that people and keys read of runs that real sandboxes have executed. */

const database = await createTestDatabase()
const { db } = database
const runs = await RealRuns.start(database)
let tenant: Tenant
let task: RunnableTask
let rid: string
let key: Principal
let otherKey: Principal

const script = `
  echo "first line"
  mkdir -p "$SERVICE_ARTIFACTS_DIR/charts"
  printf '0123456789' > "$SERVICE_ARTIFACTS_DIR/digits.txt"
  printf 'a,b\\n1,2\\n' > "$SERVICE_ARTIFACTS_DIR/charts/größe:1.csv"
  printf '{"given":%s}' "$(cat "$SERVICE_INPUTS_FILE")" > "$SERVICE_OUTPUT_FILE"
`

beforeAll(async () => {
  tenant = await makeTenant(db)
  const restricted = (id: string): Principal => ({
    ...tenant.member,
    authMethod: 'api_key',
    apiKey: { id, scope: 'sandbox', allowedChatroomIds: [tenant.roomId] },
  })
  key = restricted('key_own')
  otherKey = restricted('key_other')
  for (const apiKey of [key, otherKey]) await makeKeyRow(apiKey)
  task = await runs.makeTask(tenant.companyId, script)
  const answer = await runs.runAndWait(task, key, tenant.roomId, { input: { n: 7 } })
  rid = answer.body.run.id
})

/** A run of a key starts only while the key is there. */
async function makeKeyRow({ apiKey, companyId, principalId }: Principal): Promise<void> {
  await db
    .insertInto('api_keys')
    .values({
      id: apiKey?.id ?? '',
      company_id: companyId,
      name: apiKey?.id ?? '',
      scope: 'sandbox',
      owner_user_id: principalId,
      key_hash: Buffer.from(apiKey?.id ?? ''),
      allowed_chatroom_ids: [tenant.roomId],
      domains: ['*'],
    })
    .execute()
}

const ask = <Name extends keyof typeof resultRoutes>(
  route: Name,
  call: CallOptions = {},
  who: Principal = key,
) =>
  runs.api.call<(typeof resultRoutes)[Name]>(resultRoutes[route], who, {
    ...call,
    params: { cid: tenant.roomId, rid, ...call.params },
  })

async function artifactNamed(path: string): Promise<string> {
  const { items } = (await ask('listRunFiles')).body as { items: { id: string; relative_path: string }[] }
  return items.find(({ relative_path }) => relative_path === path)?.id ?? ''
}

describe('a run that is submitted and waited for', () => {
  it('knows its run, its room, its task and its version', async () => {
    const names = ['RUN', 'CHATROOM', 'TASK', 'TASK_VERSION'].map((name) => `$SERVICE_${name}_ID`)
    const task = await runs.makeTask(
      tenant.companyId,
      `printf '${'"%s" '.repeat(4)}' ${names.join(' ')} > "$SERVICE_OUTPUT_FILE"`,
    )
    const { run, output } = (await runs.runAndWait(task, tenant.member, tenant.roomId)).body
    expect(output?.text?.split(' ').slice(0, 4)).toEqual(
      [run.id, tenant.roomId, task.taskId, task.versionId].map((id) => `"${id}"`),
    )
  })

  it('answers with its output when it has ended', async () => {
    const answer = await runs.runAndWait(task, tenant.member, tenant.roomId, { input: [1, 'ü'] })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      state: 'ended',
      run: { status: 'completed', exit_code: 0, submission_source: 'rest' },
      output: { format: 'json', json: { given: [1, 'ü'] }, text: null },
    })
  })

  it('answers in time that it is to be waited for, and is found again by its key and by wait', async () => {
    const slow = await runs.makeTask(
      tenant.companyId,
      'sleep 2; printf "no json" > "$SERVICE_OUTPUT_FILE"; exit 3',
    )
    const headers = { 'idempotency-key': 'slow' }
    const body = { task_version_id: slow.versionId, input: {} }
    const submit = (wait_seconds: number) =>
      ask('runAndWait', { headers, body: { ...body, wait_seconds } }, tenant.member)
    const first = (await submit(0)).body as RunResult
    expect(first).toMatchObject({ state: 'keep_waiting', output: null, run: { terminal_at: null } })
    const [second, waited] = await Promise.all([
      submit(30),
      ask('waitForRun', { params: { rid: first.run.id }, query: { seconds: '30' } }, tenant.member),
    ])
    expect(second.body).toMatchObject({
      state: 'ended',
      run: { id: first.run.id, status: 'customer_failed', exit_code: 3 },
      output: { format: 'text', json: null, text: 'no json' },
    })
    expect(waited.body).toMatchObject({ id: first.run.id, exit_code: 3 })
  })

  it.each([
    [
      '{"rows":[1,{"mean":NaN}]}',
      'at /rows/1/mean (byte 19): holds NaN or Infinity, which JSON does not have',
    ],
    ['-Infinity', 'at the top (byte 0): holds NaN or Infinity'],
    ['{"id":9007199254740993}', 'at /id (byte 6): holds a whole number that would lose digits'],
    ['[1,]', 'at /1 (byte 3): is not JSON'],
  ])('names what keeps the output %s from being JSON', async (text, problem) => {
    const made = await runs.makeTask(tenant.companyId, `printf '${text}' > "$SERVICE_OUTPUT_FILE"`)
    const answer = await runs.runAndWait(made, tenant.member, tenant.roomId)
    expect(answer.body).toMatchObject({
      output: { format: 'text', text, problem: expect.stringContaining(problem) },
    })
  })

  it('is woken by the notification, not by the slow reads', async () => {
    const slow = await runs.makeTask(tenant.companyId, 'sleep 0.7')
    const answer = (await runs.runAndWait(slow, tenant.member, tenant.roomId)).body as RunResult
    const answeredAt = Date.now()
    expect(answer.state).toBe('ended')
    expect(answeredAt - Date.parse(answer.run.terminal_at ?? '')).toBeLessThan(400)
  })

  it('is refused as any submission, and nothing is left', async () => {
    const count = async () => (await db.selectFrom('runs').select('id').execute()).length
    const before = await count()
    const headers = { 'idempotency-key': 'refused' }
    const body = { task_version_id: task.versionId, input: {} }
    const refusals = [
      await ask('runAndWait', { headers, body: { ...body, wait_seconds: 61 } }),
      await ask('runAndWait', { headers, body: { ...body, color: 'red' } }),
      await ask('runAndWait', { body }),
      await ask('runAndWait', { headers, body: { ...body, task_version_id: 'tvr_none' } }),
      await ask('runAndWait', { headers, body }, tenant.stranger),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([422, 422, 422, 404, 404])
    expect(await count()).toBe(before)
  })
})

/** Python's answer about each entry `i` of the zip `z`, by its name. */
function readZip(bytes: Buffer, expression: string): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-zip-'))
  try {
    const file = join(folder, 'files.zip')
    writeFileSync(file, bytes)
    const read = `import sys, zipfile, json
z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
print(json.dumps({i.filename: ${expression} for i in z.infolist()}))`
    return JSON.parse(execFileSync('python3', ['-c', read, file], { encoding: 'utf8' }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the results of a run', () => {
  it('are bytes, whole and in ranges', async () => {
    const whole = await ask('readRunOutput')
    expect([whole.status, whole.text]).toEqual([200, '{"given":{"n":7}}'])
    expect(whole.headers).toMatchObject({
      'content-disposition': `attachment; filename="${rid}.json"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'accept-ranges': 'bytes',
    })
    const aid = await artifactNamed('digits.txt')
    const part = await ask('readRunArtifact', { params: { aid }, headers: { range: 'bytes=2-4' } })
    expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10'])
    const same = { range: 'bytes=-1', 'if-range': String(part.headers.etag) }
    expect((await ask('readRunArtifact', { params: { aid }, headers: same })).text).toBe('9')
    const none = await ask('readRunArtifact', { params: { aid }, headers: { range: 'bytes=10-' } })
    expect([none.status, none.headers['content-range']]).toEqual([416, 'bytes */10'])
  })

  it('are one zip that other programs read, the same each time', async () => {
    const answer = await ask('downloadRunFiles')
    expect(answer.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(answer.bytes.length),
      'content-disposition': `attachment; filename="${rid}.zip"`,
    })
    expect((await ask('downloadRunFiles')).bytes.equals(answer.bytes)).toBe(true)
    expect(readZip(answer.bytes, 'z.read(i).decode()')).toEqual({
      'output.json': '{"given":{"n":7}}',
      'log.txt': 'first line\n',
      'artifacts/charts/größe_1.csv': 'a,b\n1,2\n',
      'artifacts/digits.txt': '0123456789',
    })
  })

  it('have the times that it gave them, within what a header holds', async () => {
    const script = `cd "$SERVICE_ARTIFACTS_DIR"; : > now; for time in -5 0 1600000002 9999999999; do : > at$time; touch -d @$time at$time; done`
    const left = await runs.runAndWait(
      await runs.makeTask(tenant.companyId, script),
      tenant.member,
      tenant.roomId,
    )
    const { run } = left.body
    const params = { rid: run.id }
    const { items } = (await ask('listRunFiles', { params }, tenant.member)).body
    const lastModified = async (path: string) => {
      const aid = items.find(({ relative_path }) => relative_path === path)?.id ?? ''
      const answer = await ask('readRunArtifact', { params: { ...params, aid } }, tenant.member)
      return [answer.status, answer.headers['last-modified']]
    }
    const ended = Date.parse(run.terminal_at ?? '')
    expect(await lastModified('at1600000002')).toEqual([200, 'Sun, 13 Sep 2020 12:26:42 GMT'])
    expect(await lastModified('at-5')).toEqual([200, undefined])
    expect(await lastModified('at0')).toEqual([200, undefined])
    const [now, future] = [(await lastModified('now'))[1], (await lastModified('at9999999999'))[1]]
    expect(Date.parse(String(now))).toBeLessThanOrEqual(ended)
    expect(Date.parse(String(now))).toBeGreaterThan(ended - 60_000)
    expect(Date.parse(String(future))).toBeLessThanOrEqual(Date.now())
    const { bytes } = await ask('downloadRunFiles', { params }, tenant.member)
    const timeOf = (ms: number) => new Date(ms - (ms % 2000)).toISOString().slice(0, 19)
    expect(readZip(bytes, "'%d-%02d-%02dT%02d:%02d:%02d' % i.date_time")).toEqual({
      'artifacts/now': timeOf(Date.parse(String(now))),
      'artifacts/at-5': timeOf(ended),
      'artifacts/at0': timeOf(ended),
      'artifacts/at1600000002': '2020-09-13T12:26:42',
      'artifacts/at9999999999': '2107-12-31T23:59:58',
    })
  })

  it('are reported with every state of the run', async () => {
    const { headers, text } = await ask('followRunEvents')
    expect(headers['content-type']).toContain('text/event-stream')
    const events = [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)\n\n/gm)].map(
      ([, id, kind, data]) => [Number(id), kind, (JSON.parse(data ?? '') as { status: string }).status],
    )
    expect(events).toEqual([
      [1, 'state', 'queued'],
      [2, 'state', 'starting'],
      [3, 'state', 'running'],
      [4, 'state', 'completed'],
      [4, 'end', 'completed'],
    ])
    const rest = await ask('followRunEvents', { headers: { 'last-event-id': '3' } })
    expect(rest.text.match(/^event: .*$/gm)).toEqual(['event: state', 'event: end'])
  })

  it('are hidden from keys that did not submit the run, and from whoever may not read it', async () => {
    const aid = await artifactNamed('digits.txt')
    const headers = { 'x-sandbox-download-capability': 'x' }
    const routes = [
      'readRunOutput',
      'listRunFiles',
      'readRunArtifact',
      'redeemDownloadCapability',
      'downloadRunFiles',
      'readRunRemarks',
      'followRunEvents',
      'waitForRun',
    ] as const
    for (const route of routes) {
      for (const who of [otherKey, tenant.stranger, (await makeTenant(db)).companyManager]) {
        expect([route, (await ask(route, { params: { aid }, headers }, who)).status]).toEqual([route, 404])
      }
    }
    const elsewhere = await ask('readRunOutput', { params: { cid: 'roo_other' } })
    expect(elsewhere.status).toBe(403)
  })

  it('that are not there yet, or not any more, are not found', async () => {
    const queued = await makeRun(db, task, {
      chatroom_id: tenant.roomId,
      state: 'cancelled',
      terminal_at: new Date(),
    })
    for (const route of ['readRunOutput', 'downloadRunFiles'] as const) {
      expect((await ask(route, { params: { rid: queued } }, tenant.member)).status).toBe(404)
    }
  })
})

describe('a download capability', () => {
  const mint = async (aid: string, who = key) => {
    const params = { cid: tenant.roomId, rid, aid }
    const answer = await runs.api.call(runRoutes.createDownloadCapability, who, { params })
    return String(answer.body.capability_token)
  }
  const redeem = (aid: string, token: string, who = key, headers: Record<string, string> = {}) =>
    ask(
      'redeemDownloadCapability',
      { params: { aid }, headers: { 'x-sandbox-download-capability': token, ...headers } },
      who,
    )

  it('is redeemed by whom it was made for, with a range', async () => {
    const aid = await artifactNamed('digits.txt')
    const token = await mint(aid)
    expect((await redeem(aid, token)).text).toBe('0123456789')
    expect((await redeem(aid, token, key, { range: 'bytes=0-0' })).text).toBe('0')
  })

  it('is worth nothing for another artifact, another person, changed, or absent', async () => {
    const aid = await artifactNamed('digits.txt')
    const other = await artifactNamed('charts/größe:1.csv')
    const token = await mint(aid)
    const refused = [
      await redeem(other, token),
      await redeem(aid, token, tenant.companyManager),
      await redeem(aid, `x${token}`),
      await redeem(aid, 'e30.AA'),
      await redeem(aid, ''),
    ]
    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409])
    expect(refused[0]?.body.detail.code).toBe('download_capability_invalid')
  })
})

describe('an expiring link', () => {
  const png = '89504e470d0a1a0a0000000d49484452'
  const madeByRun = `
    cd "$SERVICE_ARTIFACTS_DIR"
    printf '${png.replaceAll(/../g, '\\x$&')}' > chart.png
    printf 'name,total\\n"a, <b>",1\\n' > table.csv
    printf '<svg onload="alert(1)"/>' > picture.svg
    printf 'GIF89a' > page.html
    printf '{"rows":[{"name":"<script>alert(1)</script>","n":1}]}' > "$SERVICE_OUTPUT_FILE"
  `
  let shared: string
  let files: { id: string; relative_path: string }[]
  const call = <Name extends keyof typeof linkRoutes>(
    route: Name,
    options: CallOptions = {},
    who: Principal | null = tenant.member,
  ) =>
    runs.api.call<(typeof linkRoutes)[Name]>(linkRoutes[route], who, {
      ...options,
      params: { cid: tenant.roomId, rid: shared, ...options.params },
    })
  const mint = async (body: Record<string, unknown>) => {
    const answer = await call('createSignedLink', { body })
    return { ...answer.body, status: answer.status }
  }
  const named = (path: string) => files.find(({ relative_path }) => relative_path === path)?.id ?? ''
  const tokenOf = (url: string) => /(?:share|media)\/([^/]+)/.exec(url)?.[1] ?? ''
  const media = async (path: string, purpose = 'media') => {
    const link = await mint({ purpose, object_kind: 'artifact', artifact_id: named(path) })
    if (link.status !== 200) return link.detail.code
    const name = link.url.split('/').at(-1) ?? ''
    return call('openMedia', { params: { token: tokenOf(link.url), name } }, null)
  }

  beforeAll(async () => {
    const task = await runs.makeTask(tenant.companyId, madeByRun)
    await db
      .updateTable('tasks')
      .set({ description: 'Counts <rows>.' })
      .where('id', '=', task.taskId)
      .where('company_id', '=', tenant.companyId)
      .execute()
    shared = (await runs.runAndWait(task, tenant.member, tenant.roomId)).body.run.id
    const list = await ask('listRunFiles', { params: { rid: shared } }, tenant.member)
    files = list.body.items
  })

  it('opens a page for people that runs nothing and escapes what the job wrote', async () => {
    const { url } = await mint({ purpose: 'share' })
    const page = await call('openShare', { params: { token: tokenOf(url) } }, null)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-.*img-src 'self'/,
      ),
    })
    expect(page.text).toMatch(/<h1>Counts &lt;rows&gt;<\/h1>\n<p><b>[^<]+<\/b> <span class="state">completed/)
    expect(page.text).toContain('<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>')
    expect(page.text).toContain('<td>a, &lt;b&gt;</td><td>1</td>')
    expect(page.text).not.toMatch(/<script|<svg|onload="/)
    const image = /<img src="([^"]+)"/.exec(page.text)?.[1] ?? ''
    expect(image).toContain(`${named('chart.png')}?show=true`)
    const oid = (id: string) => ({ params: { token: tokenOf(url), oid: id } })
    const shown = await call(
      'openSharedObject',
      { ...oid(named('chart.png')), query: { show: 'true' } },
      null,
    )
    expect([shown.headers['content-type'], shown.bytes.toString('hex')]).toEqual(['image/png', png])
    const drawing = await call(
      'openSharedObject',
      { ...oid(named('picture.svg')), query: { show: 'true' } },
      null,
    )
    expect(drawing.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
    })
    const saved = await call('openSharedObject', oid(named('picture.svg')), null)
    expect(saved.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="picture.svg"',
    })
    expect(page.text.indexOf('<img ')).toBeLessThan(page.text.indexOf('<h2>Result'))
    expect((await call('openSharedObject', oid('log'), null)).status).toBe(404)
  })

  it('shows an image, CSV and text in other origins by what they are, and nothing else', async () => {
    const shown = await Promise.all(['chart.png', 'table.csv', 'page.html'].map((path) => media(path)))
    expect(shown.map((answer) => typeof answer === 'object' && answer.headers['content-type'])).toEqual([
      'image/png',
      'text/csv; charset=utf-8',
      'image/gif',
    ])
    expect(typeof shown[0] === 'object' && shown[0].headers).toMatchObject({
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline; filename="chart.png"',
    })
    expect(await media('picture.svg')).toBe('media_not_inline')
    const saved = await media('picture.svg', 'download')
    expect(typeof saved === 'object' && saved.headers['content-type']).toBe('application/octet-stream')
  })

  it('is good for its purpose alone, unchanged, until it expires or is revoked', async () => {
    const share = await mint({ purpose: 'share', expires_in_seconds: 60 })
    const token = tokenOf(share.url)
    const opened = async (changed: string) =>
      (await call('openShare', { params: { token: changed } }, null)).status
    expect(await opened(token)).toBe(200)
    expect(await opened(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe(404)
    expect(await opened(`B${token.slice(1)}`)).toBe(404)
    expect((await call('openMedia', { params: { token, name: 'x' } }, null)).status).toBe(404)
    const link = await mint({ purpose: 'media', object_kind: 'artifact', artifact_id: named('chart.png') })
    expect(await opened(tokenOf(link.url))).toBe(404)
    const renamed = { token: tokenOf(link.url), name: 'chart.html' }
    expect((await call('openMedia', { params: renamed }, null)).status).toBe(404)
    const listed = async () => (await call('listRunLinks')).body.items
    expect(await listed()).toContainEqual(expect.objectContaining({ id: share.id, url: share.url }))
    expect((await call('revokeRunLink', { params: { lid: share.id } })).body).toMatchObject({
      revoked: true,
    })
    expect(await opened(token)).toBe(404)
    const browser = { accept: 'text/html,application/xhtml+xml' }
    const dead = await call('openShare', { params: { token }, headers: browser }, null)
    expect([dead.status, dead.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(dead.text).toContain('This link does not work')
    expect((await listed()).map(({ id }) => id)).not.toContain(share.id)
    await db.updateTable('signed_links').set({ expires_at: new Date() }).where('id', '=', link.id).execute()
    const over = { token: tokenOf(link.url), name: 'chart.png' }
    expect((await call('openMedia', { params: over }, null)).status).toBe(404)
  })

  it('is made and revoked by whoever may read the run, and by no key of sandbox scope', async () => {
    const body = { purpose: 'share' }
    expect((await call('createSignedLink', { body }, key)).status).toBe(403)
    expect((await call('createSignedLink', { body }, tenant.stranger)).status).toBe(404)
    const wrong = [
      { purpose: 'media' },
      { purpose: 'share', object_kind: 'log' },
      { purpose: 'media', object_kind: 'artifact' },
      { purpose: 'share', expires_in_seconds: 59 },
    ]
    for (const body of wrong) expect((await call('createSignedLink', { body })).status).toBe(422)
    expect((await call('revokeRunLink', { params: { lid: 'sln_none' } })).status).toBe(404)
  })
})
