import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BuilderBench } from '../../testing/builds/builder-bench.ts'
import { hostileArchives } from './archive-cases.ts'
import { buildDockerfiles, unpackArchives } from './builder-alone.ts'
import { hostileDockerfiles } from './dockerfile-cases.ts'
import { gateAlone } from './gate-alone.ts'
import { HostCanaries } from './host-canaries.ts'
import { comparedParsers, differenceOf } from './parsers/step-differential.ts'

/* A subset of `npm run hostile-builds`: all cases at the gate, some in the builder. */

let bench: BuilderBench
let canaries: HostCanaries
beforeAll(async () => {
  bench = await BuilderBench.start()
  canaries = await HostCanaries.plant(bench.agent)
})
afterAll(async () => {
  canaries.close()
  await bench.dispose()
})

const archives = hostileArchives()
const some = <T>(all: T[], every: number) => all.filter((_, index) => index % every === 7)

describe('the gate alone', () => {
  it('refuses every hostile archive and Dockerfile, each with its slug', async () => {
    expect(await gateAlone(archives, hostileDockerfiles)).toEqual([])
    expect(archives.length).toBeGreaterThanOrEqual(300)
    expect(hostileDockerfiles.length).toBeGreaterThanOrEqual(200)
  })

  it('fails the suite when it accepts a case', async () => {
    const [archive] = archives
    if (!archive) throw new Error('no archives')
    expect(await gateAlone([{ ...archive, slug: 'another' }], [])).toHaveLength(1)
  })
})

describe('the builder alone', () => {
  it('protects the host from hostile archives and Dockerfiles, while another build goes on', async () => {
    const packed = some(archives, 20)
    const unpacked = await unpackArchives(bench, canaries, packed)
    expect(unpacked).toEqual({ cases: packed.length, failures: [] })
    const dockerfiles = some(hostileDockerfiles, 36)
    const built = await buildDockerfiles(bench, canaries, dockerfiles)
    expect(built).toEqual({ cases: dockerfiles.length, failures: [] })
  })

  it('fails the suite when something escapes', async () => {
    const planted = await HostCanaries.plant(bench.agent)
    expect(await planted.touched('')).toEqual([])
    const [host, port] = planted.address.split(':')
    await new Promise<void>((resolve) => connect(Number(port), host).on('close', () => resolve()))
    chmodSync(join(planted.folder, 'canary'), 0o600)
    writeFileSync(join(bench.agent.dataDir, 'objects/other-tenant/new'), '')
    writeFileSync(join(bench.agent.dataDir, 'agent/base-images/new'), '')
    const found = await planted.touched(`a log with ${planted.secret} in it`)
    planted.close()
    expect(found).toEqual([
      'a canary was read',
      expect.stringContaining('changed: attributes of'),
      expect.stringContaining('changed: names of'),
      'the host was reached over the network',
      'what all builds share was changed',
    ])
  })
})

describe('gate and builder', () => {
  it('read mutated Dockerfiles alike', async () => {
    const report = await comparedParsers(bench, 12, 5)
    expect(report.failures).toEqual([])
    expect(report.compared).toBeGreaterThan(6)
  })

  it.each([
    ['an extra step', 'STEP 1/3: FROM scratch', '2 steps here, 3 there'],
    ['another text', 'STEP 1/2: FROM scratch\nSTEP 2/2: LABEL a=2', '"LABEL a=1" here, "LABEL a=2" there'],
    ['an extra stage', '[1/2] STEP 1/2: FROM scratch', '1 stages here, 2 there'],
    ['a mount', 'seen-through-a-mount', 'a mount that the gate has not seen'],
  ])('are found to differ by %s', (_name, log, difference) => {
    const reading = { steps: [['FROM scratch', 'LABEL a=1']], showsContext: false }
    expect(differenceOf(log, reading)).toBe(difference)
    expect(differenceOf('STEP 2/2: LABEL a=1', reading)).toBeUndefined()
    expect(differenceOf('seen-through-a-mount', { ...reading, showsContext: true })).toBeUndefined()
  })
})
