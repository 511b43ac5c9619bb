import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tar } from '../../../../reader/formats/archive-fixtures.ts'
import { ByteReader } from '../../../../reader/formats/byte-reader.ts'
import { readTar } from '../../../../reader/formats/tar/tar-reader.ts'
import { withUnconfinedSteps } from '../../../../testing/builds/unconfined-steps.ts'
import { changed, RealChainBench } from '../../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { layerKey } from '../../../images/oci-layout.ts'
import { unpacked } from '../../../images/provenance/verify-image.ts'
import { readSignedImage } from '../../../images/provenance/verify-stored.ts'
import type { BuildTools } from '../../request/build.ts'

/*
 * Builds whose first instructions were built before, on a real host agent with the real builder. `kept-stages.test.ts` has what the
 * service decides about them.
 */

const { db } = await createTestDatabase()
let bench: RealChainBench
let tenant: Tenant
let environment: string
/** Unique to this test's steps. */
let mark: string

// One company for all tests, which find the base layer of the first.
beforeAll(async () => {
  bench = await RealChainBench.start(db)
  tenant = await makeTenant(db)
})
afterAll(() => bench.dispose())
beforeEach(async () => {
  environment = await bench.environment(tenant)
  mark = randomUUID()
})

type Ended = Awaited<ReturnType<RealChainBench['build']>>
type Wish = Partial<Parameters<RealChainBench['build']>[1]>
interface Files {
  [name: string]: string | Buffer
}

const build = (lines: string[], files: Files = {}, wish: Wish = {}, by: Partial<BuildTools> = {}) => {
  const entries = Object.entries(files).map(([name, content]) => ({ name, content, mode: 0o644 }))
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
    const layerTar = unpacked(await bench.storage.get(layerKey(ended.id, digest)))
    for await (const { name, body, mode } of readTar(new ByteReader(layerTar as AsyncIterable<Buffer>))) {
      const chunks: Buffer[] = []
      for await (const bytes of body) chunks.push(bytes)
      files.set(name.toString(), `${mode.toString(8)} ${Buffer.concat(chunks)}`)
    }
  }
  return files
}

const base = 'FROM curated/tiny:2'

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
    start: (spec, input) => real.start(withUnconfinedSteps(spec), input),
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
