import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { parseStrictJson, runInputBounds } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pax, paxRecord, tar, zip } from '../../../reader/formats/archive-fixtures.ts'
import { TestAgent, tarOf, waitUntil } from '../../../testing/agent/test-agent.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { makeBuildTools } from '../../../testing/build-tools.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { storeBundle } from '../../../testing/factories/bundles.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeSignedImage, type SignedImage } from '../../../testing/factories/signed-image.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { Directory } from '../../access/directory/directory.ts'
import { stageInput } from '../../base/json/staged-input.ts'
import { createLog } from '../../base/logging.ts'
import type { BuildTools } from '../../builds/request/build.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { StoredImages } from '../../images/stored-images.ts'
import { LogFollowers } from '../../live-logs/log-followers.ts'
import { DatabaseLogUpdates } from '../../live-logs/log-updates.ts'
import { RunLookup } from '../lookup/run-lookup.ts'
import { cancelRun } from '../queue/cancel-run.ts'
import { followRunLog } from '../read/run-logs.ts'
import { postgresRunQueue } from './run-queue.ts'
import { type RunWorker, startRunWorker } from './run-worker.ts'

/* The whole way of a run through a real host agent and a real sandbox, on an image with nothing in it. */

const { db, url } = await createTestDatabase()
const { storage, policy, folder: objects } = new TestApi(db)
let agent: TestAgent
let worker: RunWorker
let tenant: Tenant
let scratch: Buffer
let tools: BuildTools

async function startWorker(): Promise<RunWorker> {
  const started = await startRunWorker({
    runs: postgresRunQueue(db, url, createLog('test', 'silent')),
    executor: agent.client,
    storage,
    images: new StoredImages(tools),
    log: createLog('test', 'silent'),
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots: 4, reserved: 0 }),
    companyConcurrency: 50,
    stopGraceMs: 60_000,
    pollIntervalMs: 50,
  })
  return started
}

beforeAll(async () => {
  scratch = await tarOf([
    [{ name: 'data/', type: 'directory' }],
    // The layer that `FROM scratch` with one `COPY` makes.
    [{ name: 'data/greeting' }, 'hello from the image\n'],
  ])
  tenant = await makeTenant(db)
  agent = await TestAgent.start()
  tools = makeBuildTools(db, { storage, executor: agent.client })
  worker = await startWorker()
})

afterAll(async () => {
  await worker.stop()
  await agent.dispose()
})

interface Tampered extends SignedImage {
  id: string
}

async function run(
  work_script: string,
  fields: {
    ordinary_env?: Record<string, string>
    startup_script?: string
    timeout_seconds?: number
    user?: string
    isolation?: Isolation
    bundle?: { format: 'zip' | 'tar.gz'; bytes: Buffer }
    layer?: Buffer
    input?: Buffer
    /** Done to the version before it runs. */
    tamper?: (version: Tampered) => Promise<void>
  } = {},
) {
  const {
    ordinary_env = {},
    startup_script = '',
    timeout_seconds = 20,
    user = '',
    isolation,
    bundle,
    layer = scratch,
    tamper,
    input,
  } = fields
  const task = await makeRunnableTask(db, tenant.companyId, { work_script, startup_script, ordinary_env })
  if (bundle) await storeBundle(db, storage, task, bundle)
  const versionId = task.environmentVersionId
  const image = await makeSignedImage(tools, { versionId, layer, env: ['WHERE=image'], user })
  await db
    .updateTable('environment_versions')
    .set({
      layer_digest: image.layerDigest,
      promoted_digest: image.promotedDigest,
      ...(isolation && { isolation }),
    })
    .where('id', '=', versionId)
    .execute()
  await tamper?.({ id: versionId, ...image })
  return makeRun(db, task, { chatroom_id: tenant.roomId, timeout_seconds }, input)
}

const rowOf = (id: string) => db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const untilRunning = (id: string) => eventually(async () => expect((await rowOf(id)).state).toBe('running'))

const ended = (id: string) =>
  eventually(async () => {
    const row = await rowOf(id)
    expect(row.terminal_at).not.toBeNull()
    return row
  })

async function leftBy(id: string) {
  const row = await db.selectFrom('run_contents').selectAll().where('run_id', '=', id).executeTakeFirst()
  const text = async (key: string | null | undefined) =>
    key ? (await buffer(await storage.get(key))).toString('utf8') : null
  return {
    output: await text(row?.output_key),
    log: await text(row?.log_key),
    bundle: await text(row?.bundle_key),
  }
}

describe('an image that was not signed for the version', () => {
  /** A version of its own that has run, so that its image is on the host. */
  async function another(): Promise<Tampered> {
    const layer = await tarOf([[{ name: 'greeting' }, `hello from elsewhere ${Math.random()}\n`]])
    const made = Promise.withResolvers<Tampered>()
    await ended(await run('true', { layer, tamper: async (version) => made.resolve(version) }))
    return made.promise
  }
  const setDigests = ({ id }: Tampered, set: { layer_digest: string; promoted_digest?: string }) =>
    db.updateTable('environment_versions').set(set).where('id', '=', id).execute()
  const layoutFolder = (id: string) => join(objects, 'objects/images', id)

  it.each<[string, string, (own: Tampered, other: Tampered) => Promise<unknown>]>([
    [
      'a row that names an image of the host',
      'layer_digest_differs',
      (own, other) => setDigests(own, { layer_digest: other.layerDigest }),
    ],
    [
      'a row that names the manifest of another image too',
      'promoted_digest_differs',
      (own, other) =>
        setDigests(own, { layer_digest: other.layerDigest, promoted_digest: other.promotedDigest }),
    ],
    [
      'a row and a whole well-signed layout of another version',
      'image_of_another_version',
      async (own, other) => {
        await rm(layoutFolder(own.id), { recursive: true })
        await cp(layoutFolder(other.id), layoutFolder(own.id), { recursive: true })
        await setDigests(own, { layer_digest: other.layerDigest, promoted_digest: other.promotedDigest })
      },
    ],
    ['a layout without signatures', 'index_missing', (own) => rm(join(layoutFolder(own.id), 'index.json'))],
  ])('does not run: %s', async (_, slug, tamper) => {
    const other = await another()
    const id = await run('cat /greeting', { tamper: async (own) => void (await tamper(own, other)) })
    expect(await ended(id)).toMatchObject({
      state: 'platform_failed',
      error_code: 'image_unavailable',
      error_detail: slug,
      started_at: null,
    })
  })

  it('is not installed when its layer was changed in storage', async () => {
    const layer = await tarOf([[{ name: 'greeting' }, `never on the host ${Math.random()}\n`]])
    const made = Promise.withResolvers<Tampered>()
    const tamper = async (own: Tampered) => {
      const blobs = join(layoutFolder(own.id), 'blobs/sha256')
      const zstd = Buffer.from('28b52ffd', 'hex')
      for (const name of await readdir(blobs)) {
        const bytes = await readFile(join(blobs, name))
        if (!bytes.subarray(0, 4).equals(zstd)) continue
        bytes.writeUInt8(bytes.readUInt8(bytes.length - 6) ^ 1, bytes.length - 6)
        await writeFile(join(blobs, name), bytes)
      }
      made.resolve(own)
    }
    const id = await run('true', { layer, tamper })
    expect(await ended(id)).toMatchObject({ error_code: 'image_unavailable', error_detail: 'layer_damaged' })
    expect(await agent.client.hasImage((await made.promise).layerDigest)).toBe(false)
  })
})

describe('a run in a real sandbox', () => {
  it('reads its input and its image, and leaves an output, a log and artifacts', async () => {
    const id = await run(
      `
      cat /data/greeting
      echo "color $COLOR"
      printf '{"input":%s}' "$(cat "$SERVICE_INPUTS_FILE")" > "$SERVICE_OUTPUT_FILE"
      mkdir "$SERVICE_ARTIFACTS_DIR/charts"
      echo '<svg/>' > "$SERVICE_ARTIFACTS_DIR/charts/a.svg"
    `,
      { ordinary_env: { COLOR: `it's "$(blue)"\n!` } },
    )
    expect(await ended(id)).toMatchObject({ state: 'completed', exit_code: 0, error_code: '' })
    expect(await leftBy(id)).toEqual({
      output: '{"input":{}}',
      log: `hello from the image\ncolor it's "$(blue)"\n!\n`,
      bundle: '<svg/>\n',
    })
  })

  it('finds keys that objects inherit in its input as any other', async () => {
    const text = '{"__proto__":{"admin":true},"constructor":[null],"toString":{"__proto__":1}}'
    const { content, digest } = stageInput(parseStrictJson(Buffer.from(text), runInputBounds))
    expect(digest).toMatch(/^sha256:/)
    const id = await run('cat "$SERVICE_INPUTS_FILE" > "$SERVICE_OUTPUT_FILE"', { input: content })
    expect(await ended(id)).toMatchObject({ state: 'completed' })
    expect((await leftBy(id)).output).toBe(text)
  })

  it('gets a hostile environment of its author last: nothing of the platform has taken it before', async () => {
    const ordinary_env = {
      PATH: '/workspace',
      IFS: '/.',
      HOME: '/proc/1',
      ENV: '/workspace/env',
      PS4: '$(exit 9)',
      _boot: 'exit 9',
      _boot_bytes: '1',
      LD_PRELOAD: '/workspace/preload.so',
      SERVICE_OUTPUT_FILE: '/etc/passwd',
      'BASH_FUNC_tar%%': '() { exit 9; }',
    }
    const bundle = {
      format: 'zip' as const,
      bytes: zip([{ name: 'tar', content: '#!/.sandbox/busybox sh\nexit 9\n' }]),
    }
    const id = await run('echo "$PATH $SERVICE_OUTPUT_FILE"', { ordinary_env, bundle })
    expect(await ended(id)).toMatchObject({ state: 'completed', exit_code: 0, error_code: '' })
    expect((await leftBy(id)).log).toBe('/workspace /workspace/output.json\n')
  })

  it('that exits with 3, or runs past its time, or leaves a link, ends as it did', async () => {
    const ids = [
      await run('echo no; exit 3'),
      await run('sleep 60', { timeout_seconds: 1 }),
      await run('ln -s /etc/passwd "$SERVICE_ARTIFACTS_DIR/x"'),
      await run('ln -s /etc/passwd "$SERVICE_OUTPUT_FILE"'),
    ]
    const rows = await Promise.all(ids.map(ended))
    expect(rows.map((row) => [row.state, row.error_code, row.exit_code])).toEqual([
      ['customer_failed', 'work_exit_nonzero', 3],
      ['customer_failed', 'timeout', null],
      ['completed', '', 0],
      ['customer_failed', 'output_invalid', 0],
    ])
    expect((await leftBy(ids[2] ?? '')).log).toContain('No artifact was kept: "x" is a symbolic link')
  })

  it('that meets a limit of its sandbox fails by it', async () => {
    const ids = [
      await run('dd if=/dev/zero of=/dev/null bs=1500M', { timeout_seconds: 60 }),
      await run('dd if=/dev/zero of=/workspace/big bs=1M'),
      await run('i=0; while [ $i -lt 400 ]; do sleep 30 & i=$((i+1)); done; wait'),
      await run('dd if=/dev/zero of="$SERVICE_OUTPUT_FILE" bs=1M count=17'),
    ]
    const rows = await Promise.all(ids.map(ended))
    expect(rows.map((row) => [row.state, row.error_code])).toEqual([
      ['customer_failed', 'out_of_memory'],
      ['customer_failed', 'disk_full'],
      ['customer_failed', 'pids_limit'],
      ['customer_failed', 'output_too_large'],
    ])
  })

  it('keeps the head and the tail of a log without end', async () => {
    const id = await run('echo head; yes xxxxxxxxxxxxxxx | head -c 100000000; echo tail')
    expect(await ended(id)).toMatchObject({ state: 'completed' })
    const { log } = await leftBy(id)
    expect(log?.length).toBeLessThan(65 * 1024 * 1024)
    expect([log?.slice(0, 5), log?.slice(-5)]).toEqual(['head\n', 'tail\n'])
  })

  it('goes on while worker and host agent are started anew', async () => {
    const id = await run('sleep 1; echo late > "$SERVICE_OUTPUT_FILE"')
    await untilRunning(id)
    await worker.stop()
    await agent.end('SIGKILL')
    await agent.start()
    worker = await startWorker()
    expect(await ended(id)).toMatchObject({ state: 'completed', fence: 2 })
    expect((await leftBy(id)).output).toBe('late\n')
  })

  it('is the user that its image names, with a workspace it can write', async () => {
    const id = await run(
      'echo "$WHERE $(id -u):$(id -g)"; echo 1 > "$SERVICE_OUTPUT_FILE"; echo 2 > "$SERVICE_ARTIFACTS_DIR/x"',
      {
        user: '1000:1001',
      },
    )
    expect(await ended(id)).toMatchObject({ state: 'completed' })
    expect(await leftBy(id)).toEqual({ log: 'image 1000:1001\n', output: '1\n', bundle: '2\n' })
  })

  it('finds the files of its bundle before its scripts start', async () => {
    const long = `${'folder/'.repeat(20)}${'n'.repeat(120)}`
    const bytes = gzipSync(
      tar(
        { name: 'tools/', type: '5' },
        { name: 'tools/run.sh', content: 'echo "run by $0"', mode: 0o755 },
        { name: 'größe.txt', content: 'ünicode' },
        pax(paxRecord('path', long)),
        { name: 'short', content: 'long' },
        { name: 'tools/link', type: '2', linkName: '../größe.txt' },
        { name: 'big', content: Buffer.alloc(3_000_001, 'x') },
      ),
    )
    const id = await run(
      `
      sh /workspace/tools/run.sh
      cat /workspace/größe.txt /workspace/tools/link; echo
      cat "/workspace/${long}"; echo
      wc -c < /workspace/big
      ls /workspace/artifacts
    `,
      {
        bundle: { format: 'tar.gz', bytes },
        startup_script: 'test -x /workspace/tools/run.sh',
        user: '1000:1001',
      },
    )
    expect(await ended(id)).toMatchObject({ state: 'completed', exit_code: 0 })
    expect((await leftBy(id)).log).toBe('run by /workspace/tools/run.sh\nünicodeünicode\nlong\n3000001\n')
  })

  it('ends before it starts when its bundle cannot be used', async () => {
    const reserved = { format: 'zip', bytes: zip([{ name: 'work.sh', content: 'echo taken over' }]) } as const
    const cut = { format: 'tar.gz', bytes: gzipSync(tar({ name: 'a' })).subarray(0, -9) } as const
    const ids = [await run('echo no', { bundle: reserved }), await run('echo no', { bundle: cut })]
    const rows = await Promise.all(ids.map(ended))
    const why = { state: 'customer_failed', failure_stage: 'task_bundle', error_code: 'bundle_invalid' }
    expect(rows).toMatchObject([
      { ...why, error_detail: 'path_reserved', started_at: null },
      { ...why, error_detail: 'archive_truncated', started_at: null },
    ])
  })

  it('does not blame its author for a bundle that the store lost or changed', async () => {
    const bytes = gzipSync(tar({ name: 'a' }))
    const gone = async (change: (key: string) => Promise<unknown>) => {
      await worker.stop()
      const id = await run('echo no', { bundle: { format: 'tar.gz', bytes } })
      const { task_version_id } = await rowOf(id)
      const bundle = await db
        .selectFrom('task_versions as v')
        .innerJoin('task_bundles as b', 'b.id', 'v.bundle_id')
        .select('b.storage_key')
        .where('v.id', '=', task_version_id)
        .executeTakeFirstOrThrow()
      await change(bundle.storage_key)
      worker = await startWorker()
      return ended(id)
    }
    const lost = { state: 'platform_failed', error_code: 'storage_lost' }
    expect(await gone((key) => storage.delete(key))).toMatchObject({
      ...lost,
      error_detail: 'bundle_missing',
    })
    expect(await gone((key) => storage.put(key, Buffer.from('other')))).toMatchObject({
      ...lost,
      error_detail: 'bundle_damaged',
    })
  })

  it('of a version whose owner asked for gVisor sees gVisor’s kernel', async () => {
    const script = 'uname -r; printf 1 > "$SERVICE_OUTPUT_FILE"'
    const id = await run(script, { isolation: 'gvisor', user: '1000' })
    expect(await ended(id)).toMatchObject({ state: 'completed', error_code: '' })
    expect(await leftBy(id)).toMatchObject({ log: expect.stringMatching(/^4\./), output: '1' })
  })

  it('ends when it is cancelled', async () => {
    const id = await run('sleep 60')
    await untilRunning(id)
    await cancelRun(db, { id, company_id: tenant.companyId })
    expect(await ended(id)).toMatchObject({ state: 'cancelled' })
  })

  const tidy =
    'trap \'echo late > "$SERVICE_ARTIFACTS_DIR/late"; exit\' TERM; echo ready; while :; do sleep 0.1; done'
  const untilReady = async (id: string) => {
    await untilRunning(id)
    const { sandbox_id: sandbox } = await rowOf(id)
    await waitUntil(async () => (await text(await agent.client.log(sandbox ?? ''))).includes('ready'))
  }

  it('keeps what it wrote when a cancel or its deadline asked it to end', async () => {
    const ids = [await run(tidy), await run(tidy, { timeout_seconds: 2 })] as const
    await untilReady(ids[0])
    await cancelRun(db, { id: ids[0], company_id: tenant.companyId })
    expect(await ended(ids[0])).toMatchObject({ state: 'cancelled' })
    expect(await ended(ids[1])).toMatchObject({ error_code: 'timeout' })
    for (const id of ids) expect((await leftBy(id)).bundle).toBe('late\n')
  })

  it('that goes on after a cancel ends at once after another, or when it was cancelled at once', async () => {
    const deaf = "trap '' TERM; echo ready; while :; do sleep 0.1; done"
    const [again, atOnce] = [
      await run(deaf, { timeout_seconds: 60 }),
      await run(deaf, { timeout_seconds: 60 }),
    ]
    for (const id of [again, atOnce]) await untilReady(id)
    await cancelRun(db, { id: again, company_id: tenant.companyId })
    expect(await rowOf(again)).toMatchObject({ state: 'cancel_requested' })
    const since = performance.now()
    await cancelRun(db, { id: again, company_id: tenant.companyId })
    await cancelRun(db, { id: atOnce, company_id: tenant.companyId }, 'at once')
    for (const id of [again, atOnce]) expect(await ended(id)).toMatchObject({ state: 'cancelled' })
    expect(performance.now() - since).toBeLessThan(20_000)
  })

  it('leaves no sandbox behind', async () => {
    // The mark of a sandbox that must never start stays.
    const left = async () => (await agent.client.list()).filter(({ state }) => state !== 'forbidden')
    await eventually(async () => expect(await left()).toEqual([]))
  })
})

describe('a log that is followed', () => {
  it('is seen while the run writes it, and to its end', async () => {
    const deps = {
      db,
      storage,
      directory: new Directory(db),
      runs: new RunLookup(db, policy),
      followers: new LogFollowers(db, new DatabaseLogUpdates({ url, log: createLog('test', 'silent') })),
    }
    const id = await run('echo one; sleep 1; echo two; sleep 1; cat /data/greeting')
    const address = { chatroomId: tenant.roomId, runId: id }
    const { signal } = new AbortController()
    const events = await followRunLog(deps, async () => tenant.member, { ...address, start: 0, signal })
    const seen: [string, string][] = []
    for await (const { event } of events) {
      const { state } = await rowOf(id)
      seen.push([state, event.kind === 'log' ? event.text : event.kind])
    }
    // A line may come before the row says that the run has started.
    expect(seen[0]).toEqual([expect.stringMatching(/^(starting|running)$/), expect.stringMatching(/^one/)])
    expect(seen.at(-1)).toEqual(['completed', 'end'])
    const text = seen.slice(0, -1).map(([, part]) => part)
    expect(text.join('')).toBe('one\ntwo\nhello from the image\n')
    expect(text.join('')).toBe((await leftBy(id)).log)
  })
})
