import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tar } from '../../../../reader/formats/archive-fixtures.ts'
import { ByteReader } from '../../../../reader/formats/byte-reader.ts'
import { readTar } from '../../../../reader/formats/tar/tar-reader.ts'
import { withUnconfinedSteps } from '../../../../testing/builds/unconfined-steps.ts'
import { ChainBench, changed } from '../../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { systemClock } from '../../../base/clock.ts'
import { createLog } from '../../../base/logging.ts'
import { openLayer } from '../../../images/oci-layout.ts'
import { readSignedImage } from '../../../images/provenance/verify-stored.ts'
import { cancelBuild } from '../../attempts/cancel-builds.ts'
import { type CachedStageName, cachedStageKey } from '../../cache/cached-stage-store.ts'
import type { BuildTools } from '../../request/build.ts'
import { companyStageBytes, sweepBuildCache } from '../../retention.ts'

/* Builds whose first instructions were built before, on a real host agent with the real builder. */

const { db } = await createTestDatabase()
let bench: ChainBench
let tenant: Tenant
let environment: string
/** Unique to this test's steps. */
let mark: string

// One company for all tests, which find the base layer of the first.
beforeAll(async () => {
  bench = await ChainBench.start(db)
  tenant = await makeTenant(db)
})
afterAll(() => bench.dispose())
beforeEach(async () => {
  environment = await bench.environment(tenant)
  mark = randomUUID()
})

type Ended = Awaited<ReturnType<ChainBench['build']>>
type Wish = Partial<Parameters<ChainBench['build']>[1]>
interface Files {
  [name: string]: string | Buffer
}

const busybox = { name: 'busybox', content: readFileSync('/bin/busybox'), mode: 0o755 }

const build = (lines: string[], files: Files = {}, wish: Wish = {}, by: Partial<BuildTools> = {}) => {
  const entries = Object.entries(files).map(([name, content]) => ({ name, content, mode: 0o644 }))
  if (lines.includes('COPY busybox /bin/busybox')) entries.push(busybox)
  const archive = tar({ name: 'Dockerfile', content: lines.join('\n') }, ...entries)
  return bench.build(archive, { owner: tenant, environment, ...wish }, by)
}

/** How often a step of a Dockerfile ran for this build. */
const ran = ({ log }: Ended, step: string) => log.split('\n').filter((line) => line === `ran ${step}`).length

/** Files of an image by name, with their content. */
async function imageOf(ended: Ended): Promise<Map<string, string>> {
  if (ended.version_state !== 'ready') throw new Error(ended.log)
  const recorded = {
    id: ended.id,
    promotedDigest: ended.promoted_digest ?? '',
    layerDigest: ended.layer_digest ?? '',
  }
  const { layers } = await readSignedImage(bench.tools, recorded)
  const files = new Map<string, string>()
  for (const { digest } of layers) {
    const layerTar = await openLayer(bench.storage, ended.id, digest)
    for await (const { name, body, mode } of readTar(new ByteReader(layerTar as AsyncIterable<Buffer>))) {
      const chunks: Buffer[] = []
      for await (const bytes of body) chunks.push(bytes)
      files.set(name.toString(), `${mode.toString(8)} ${Buffer.concat(chunks)}`)
    }
  }
  return files
}

/** The one cached stage that the company has. */
async function keptOne() {
  const rows = db.selectFrom('build_prefixes').selectAll().where('company_id', '=', tenant.companyId)
  const [row, ...more] = await rows.execute()
  if (!row || more.length > 0) throw new Error(`${more.length + (row ? 1 : 0)} stages are cached`)
  return { companyId: row.company_id, key: row.key, attemptId: row.attempt_id, row }
}

const sweep = (days: number) => {
  const clock = { now: () => new Date(systemClock.now().getTime() + days * 86_400_000) }
  return sweepBuildCache({ db, storage: bench.storage, clock, log: createLog('test', 'silent') })
}

const base = 'FROM curated/tiny:1'

const steps = () => [
  base,
  `ARG KIND=${mark}`,
  'ENV A=first',
  'SHELL ["/bin/sh", "-ec"]',
  'RUN echo ran first; rm /etc/issue; rm -r /etc/skel; mkdir /etc/skel; echo $KIND >/etc/skel/kind; chmod 4711 /bin/true',
  'WORKDIR /work',
  'COPY early .',
  'USER 1000:100',
  'COPY late .',
  'RUN echo ran second; echo "$KIND $A $(id -u) $PWD" >/tmp/told',
  'FROM scratch',
  'COPY --from=0 /etc /etc',
  'COPY --from=0 /tmp/told /bin/true /',
]

test('instructions after a changed file are built, on layers that were built once', async () => {
  const first = await build(steps(), { early: 'e', late: '1' })
  expect([ran(first, 'first'), ran(first, 'second')], first.log).toEqual([1, 1])
  const second = await build(steps(), { early: 'e', late: '2' })
  expect([ran(second, 'first'), ran(second, 'second')], second.log).toEqual([1, 1])
  const third = await build(steps(), { early: 'e', late: '3' })
  expect([ran(third, 'first'), ran(third, 'second')], third.log).toEqual([0, 1])
  expect(third.log).toContain(`instructions in build ${second.attemptId}`)
  const image = await imageOf(third)
  const whole = await build(steps(), { early: 'e', late: '3' }, { cache: 'none' })
  expect(ran(whole, 'first'), whole.log).toBe(1)
  expect(image).toEqual(await imageOf(whole))
  expect(image.get('./told')).toContain(`${mark} first 1000 /work`)
  expect(image.get('./true')).toMatch(/^4711 /)
  expect([image.has('./etc/issue'), image.has('./etc/skel/.bashrc')]).toEqual([false, false])

  const { buildDefinition } = await bench.statementOf(third)
  expect(buildDefinition.resolvedDependencies.map(({ name }) => name)).toContain(
    `stage.1.prefix ${second.attemptId}`,
  )
})

const slow = (note: string, seconds = 0) => [
  base,
  `RUN echo ran slow; sleep ${seconds}`,
  `ENV NOTE=${mark}`,
  'COPY note /note',
  `RUN echo ran ${note}`,
]

test('a follower reads the log of the separately built stage, and then the rest', async () => {
  await build(slow('one'), { note: '1' })
  const read: [string, number | undefined][] = []
  const liveLogs = changed(bench.tools.liveLogs, {
    register: (_attempt, sandbox, ahead) => {
      read.push([sandbox, ahead])
      return () => undefined
    },
  })
  const beginnings: string[] = []
  const executor = changed(bench.tools.executor, {
    remove: async (id) => {
      if (id.includes('_prefix_')) beginnings.push(await text(await bench.tools.executor.log(id)))
      return bench.tools.executor.remove(id)
    },
  })
  const second = await build(slow('two'), { note: '2' }, {}, { executor, liveLogs })
  const [beginning = ''] = beginnings
  expect(beginning).toContain('\nran slow\n')
  expect(second.log.startsWith(beginning), second.log).toBe(true)
  expect([ran(second, 'slow'), ran(second, 'two')]).toEqual([1, 1])
  expect(read).toEqual([
    [expect.stringContaining(`${second.attemptId}_prefix_`), undefined],
    [`${second.attemptId}_1`, 0],
  ])
})

test('the log of a build that is cancelled in a cached stage is kept', async () => {
  await build(slow('one', 1), { note: '1' })
  const real = bench.tools.executor
  const executor = changed(real, {
    wait: async (id, signal) => {
      if (!id.includes('_prefix_')) return real.wait(id, signal)
      while (!(await real.logSince(id, 0, 1000)).bytes.includes('\nran slow\n'));
      const path = await db
        .selectFrom('build_attempts')
        .select(['id as attemptId', 'environment_version_id as versionId'])
        .where('company_id', '=', tenant.companyId)
        .where('terminal_at', 'is', null)
        .executeTakeFirstOrThrow()
      await cancelBuild(bench.context, tenant.companyManager, { environmentId: environment, ...path })
      return real.wait(id, signal)
    },
  })
  const cancelled = await build(slow('two', 1), { note: '2' }, {}, { executor })
  expect(cancelled.state).toBe('cancelled')
  expect(ran(cancelled, 'slow'), cancelled.log).toBe(1)
})

test('a step that leaves its root cannot change cached layers of later steps, and sees only its own files', async () => {
  const leave = `import glob, os
fd=os.open('/',os.O_RDONLY)
os.makedirs('/jail',exist_ok=True); os.chroot('/jail'); os.fchdir(fd)
for _ in range(64): os.chdir('..')
os.chroot('.')
`
  const poison = `${leave}
for path in glob.glob('/workspace/storage/overlay/*/diff/early')+glob.glob('/workspace/prefixes/*/*'):
    open(path,'a').write('poison ${mark}')
print('ran poison')
`
  const spy = `${leave}
print('sees', sorted(os.listdir('/workspace/context')), open('/workspace/Dockerfile').read() if os.path.exists('/workspace/Dockerfile') else '')
`
  const lines = [
    'FROM curated/python:3.11',
    'COPY early spy.py /',
    `RUN echo ${mark}; python3 /spy.py`,
    'COPY late.py /',
    'RUN python3 /late.py',
    'FROM scratch',
    'COPY --from=0 /early /spy.py /',
  ]
  const files = { early: 'e', 'spy.py': spy, 'late.py': 'print("ran plain")' }
  const real = bench.tools.executor
  const executor = changed(real, {
    start: (spec, input, masked) => real.start(withUnconfinedSteps(spec), input, masked),
  })
  await build(lines, files, {}, { executor })
  const second = await build(lines, { ...files, 'late.py': poison }, {}, { executor })
  expect(second.log).toContain("sees ['early', 'spy.py']")
  expect(second.log).not.toMatch(/sees .*late/)
  expect(ran(second, 'poison'), second.log).toBe(1)
  const third = await build(lines, { ...files, 'late.py': 'print("ran plain again")' }, {}, { executor })
  expect(third.log).not.toContain('sees')
  const image = await imageOf(third)
  expect(image.get('./early')).toBe('644 e')
  expect([...image.values()].some((content) => content.includes(`poison ${mark}`))).toBe(false)
})

test('each stage starts from its cached layers, and an unneeded one is skipped', async () => {
  const lines = [
    `${base} AS tools`,
    `RUN echo ran tools; echo ${mark} >/made`,
    `${base} AS unused`,
    'COPY early /',
    'RUN false',
    base,
    'RUN echo ran last',
    'COPY --from=tools /made /made',
    'COPY late /',
    'RUN exit $(cat /late)',
  ]
  await build(lines, { early: 'e', late: '0' })
  await build(lines, { early: 'f', late: '00' })
  await build(lines, { early: 'f', late: '000' })
  const third = await build(lines, { early: 'g', late: '0000' })
  expect([ran(third, 'tools'), ran(third, 'last')], third.log).toEqual([0, 0])
  expect((await imageOf(third)).get('./made')).toContain(mark)
  // The line of a failure is that of the author's file.
  const failed = await build(lines, { early: 'g', late: '3' })
  expect(failed, failed.log).toMatchObject({ error_code: 'dockerfile_exit', error_detail: 'line_10' })
})

test('an author who fixes a failed step starts from the layers before it', async () => {
  const lines = (last: string) => [base, `RUN echo ran first; echo ${mark}`, `RUN ${last}`]
  expect((await build(lines('false'))).error_detail).toBe('line_3')
  expect((await build(lines('exit 2'))).error_detail).toBe('line_3')
  const mended = await build(lines('true'))
  expect([mended.state, ran(mended, 'first')], mended.log).toEqual(['completed', 0])
})

test('two builds that make the same cached stage concurrently use their own', async () => {
  const lines = [base, `RUN echo ran first; echo ${mark}`, 'COPY late /']
  const environments = [environment, await bench.environment(tenant)]
  for (const [at, own] of environments.entries()) {
    await build(lines, { late: `${at}` }, { environment: own })
  }
  // Each starts a sandbox only when the other one does: both find no stage, then both store it.
  let waiting = Promise.withResolvers<void>()
  let isAlone = true
  const meet = () => {
    const { promise, resolve } = waiting
    isAlone = !isAlone
    if (isAlone) {
      waiting = Promise.withResolvers()
      resolve()
    }
    return promise
  }
  const { executor } = bench.tools
  const together = changed(executor, {
    start: async (spec, ...input) => {
      if (spec.rootfs.kind === 'builder') await meet()
      await executor.start(spec, ...input)
    },
  })
  const ended = await Promise.all(
    environments.map((own, at) =>
      build(lines, { late: `again ${at}` }, { environment: own }, { executor: together }),
    ),
  )
  for (const each of ended) {
    expect([each.state, ran(each, 'first')], `${each.error_detail}\n${each.log}`).toEqual(['completed', 1])
    expect(each.log).toContain(`instructions in build ${each.attemptId}`)
  }
})

const shell = ['FROM scratch', 'COPY busybox /bin/busybox', 'RUN ["/bin/busybox", "--install", "-s", "/bin"]']

test('a stage that is damaged, missing, or signed for another key is not used, nor by another profile or company', async () => {
  tenant = await makeTenant(db)
  environment = await bench.environment(tenant)
  // Without a base layer, so that the company keeps nothing but the stage.
  const lines = [...shell, `RUN echo ran first; echo ${mark}`, 'COPY late /']
  for (const late of ['1', '2']) await build(lines, { late })
  const hit = await build(lines, { late: '3' })
  expect(ran(hit, 'first'), hit.log).toBe(0)
  const others = db
    .selectFrom('build_prefixes')
    .select('envelope')
    .where('company_id', '!=', tenant.companyId)
  const { envelope } = await others.executeTakeFirstOrThrow()
  const spoil: Record<string, (name: CachedStageName) => Promise<unknown>> = {
    damaged: (name) => writeFile(join(bench.folder, 'objects', cachedStageKey(name)), 'x'),
    missing: (name) => bench.storage.delete(cachedStageKey(name)),
    forged: ({ key }) =>
      db
        .updateTable('build_prefixes')
        .set({ envelope: JSON.stringify(envelope) })
        .where('key', '=', key)
        .execute(),
  }
  for (const [how, spoiled] of Object.entries(spoil)) {
    await spoiled(await keptOne())
    const ended = await build(lines, { late: how })
    expect([ended.state, ran(ended, 'first')], `${how}\n${ended.log}`).toEqual(['completed', 1])
  }
  const other = await makeTenant(db)
  const misses = [
    await build(lines, { late: '4' }, { profile: 'fast' }),
    await build(lines, { late: '4' }, { owner: other, environment: await bench.environment(other) }),
  ]
  for (const miss of misses) expect(ran(miss, 'first'), miss.log).toBe(1)

  const { row, ...kept } = await keptOne()
  await sweep(29)
  expect((await keptOne()).key).toBe(kept.key)
  // The least recently used stage is removed when a company exceeds its limit.
  const large = { ...row, key: `sha256:${'0'.repeat(64)}`, byte_size: companyStageBytes }
  const used_at = new Date(row.used_at.getTime() - 1000)
  await db
    .insertInto('build_prefixes')
    .values({ ...large, envelope: JSON.stringify(envelope), used_at })
    .execute()
  await sweep(0)
  expect((await keptOne()).key).toBe(kept.key)
  await sweep(31)
  await expect(keptOne()).rejects.toThrow()
  expect(await bench.storage.size(cachedStageKey(kept))).toBeUndefined()
})
