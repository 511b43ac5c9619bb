import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { tar } from '../../../../reader/formats/archive-fixtures.ts'
import { FakeBuilder } from '../../../../testing/builds/fake-builder.ts'
import { ChainBench, changed } from '../../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { systemClock } from '../../../base/clock.ts'
import { createLog } from '../../../base/logging.ts'
import { cancelBuild } from '../../attempts/cancel-builds.ts'
import { type CachedStageName, cachedStageKey } from '../../cache/cached-stage-store.ts'
import type { BuildTools } from '../../request/build.ts'
import { companyStageBytes, sweepBuildCache } from '../../retention.ts'

/* Which cached stages are made, used and kept. `cached-stages.test.ts` has those of the real builder. */

const { db } = await createTestDatabase()
const bench = new ChainBench(db, new FakeBuilder())
let tenant: Tenant
let environment: string
/** Unique to this test's steps. */
let mark: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  environment = await bench.environment(tenant)
  mark = randomUUID()
})

const base = 'FROM curated/tiny:2'

const build = (
  lines: string[],
  files: Record<string, string> = {},
  wish: Partial<Parameters<ChainBench['build']>[1]> = {},
  by: Partial<BuildTools> = {},
) => {
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }))
  const archive = tar({ name: 'Dockerfile', content: lines.join('\n') }, ...entries)
  return bench.build(archive, { owner: tenant, environment, ...wish }, by)
}

/** How often a step of a Dockerfile ran for this build. */
const ran = ({ log }: { log: string }, step: string) =>
  log.split('\n').filter((line) => line === `ran ${step}`).length

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

const slow = (note: string) => [
  base,
  'RUN echo ran slow',
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
  const logs: string[] = []
  const executor = changed(bench.tools.executor, {
    remove: async (id) => {
      if (id.includes('_prefix_')) logs.push(await text(await bench.tools.executor.log(id)))
      return bench.tools.executor.remove(id)
    },
  })
  const second = await build(slow('two'), { note: '2' }, {}, { executor, liveLogs })
  const [log = ''] = logs
  expect(log).toContain('\nran slow\n')
  expect(second.log.startsWith(log), second.log).toBe(true)
  expect([ran(second, 'slow'), ran(second, 'two')]).toEqual([1, 1])
  expect(read).toEqual([
    [expect.stringContaining(`${second.attemptId}_prefix_`), undefined],
    [`${second.attemptId}_1`, 0],
  ])
})

test('the log of a build that is cancelled in a cached stage is kept', async () => {
  await build(slow('one'), { note: '1' })
  const real = bench.tools.executor
  const executor = changed(real, {
    wait: async (id, signal) => {
      if (id.includes('_prefix_') && signal) {
        await real.wait(id)
        const path = await db
          .selectFrom('build_attempts')
          .select(['id as attemptId', 'environment_version_id as versionId'])
          .where('company_id', '=', tenant.companyId)
          .where('terminal_at', 'is', null)
          .executeTakeFirstOrThrow()
        await cancelBuild(bench.context, tenant.companyManager, { environmentId: environment, ...path })
        if (!signal.aborted) await once(signal, 'abort')
      }
      return real.wait(id, signal)
    },
  })
  const cancelled = await build(slow('two'), { note: '2' }, {}, { executor })
  expect(cancelled.state).toBe('cancelled')
  expect(ran(cancelled, 'slow'), cancelled.log).toBe(1)
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
    start: async (spec, input) => {
      if (spec.rootfs.kind === 'builder') await meet()
      await executor.start(spec, input)
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

test('a stage that is damaged, missing, or signed for another key is not used, nor by another profile or company', async () => {
  const lines = [base, `RUN echo ran first; echo ${mark}`, 'COPY late /']
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
