import { afterAll, beforeAll, expect, it } from 'vitest'
import { BuilderBench } from '../../../testing/builds/builder-bench.ts'
import { buildOnForeign } from '../../../testing/builds/foreign-base.ts'
import { buildExitCodes, buildFromBases } from './build-script.ts'

/* Foreign base images in the builder's store, next to the curated ones; links in them are in reserved-links.test.ts. */

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
})
afterAll(() => bench.dispose())

const buildOn = (foreign: string, dockerfile: string) => buildOnForeign(bench, foreign, dockerfile)

it('a base image without ONBUILD instructions can be used', async () => {
  const { exit, log, image } = await buildOn('FROM scratch\nCOPY a /a', 'FROM localhost/foreign\nCOPY a /b')
  expect([exit.exitCode, image], log).toEqual([0, 'accepted'])
})

it('a base image with ONBUILD is refused before anything of it runs', async () => {
  const { exit, log } = await buildOn(
    'FROM scratch\nONBUILD COPY a /planted',
    'FROM localhost/foreign\nCOPY a /b',
  )
  expect(exit.exitCode, log).toBe(buildExitCodes.onbuildForbidden)
  expect(log).toContain('has ONBUILD instructions')
  expect(log).not.toContain('planted')
})

const curated = 'curated/tiny:2'

it.each([
  ['as a separate stage', `FROM ${curated} AS tools\nFROM scratch\nCOPY --from=tools /etc/issue /h`],
  ['by its name', `FROM scratch\nCOPY --from=${curated} /etc/issue /h`],
])('files can be copied from a base image %s', async (_name, dockerfile) => {
  const { exit, log, image } = await bench.build([[{ name: 'context/Dockerfile' }, dockerfile]], [curated])
  expect([exit.exitCode, image], log).toEqual([0, 'accepted'])
})

it('an image whose documents are not found in the storage is mounted by the builder', async () => {
  const { exit, log, image } = await bench.script(`base64() { return 1; }\nset --\n${buildFromBases}`, [
    [{ name: 'context/Dockerfile' }, 'FROM scratch\nCOPY a /a'],
    [{ name: 'context/a' }, 'a'],
  ])
  expect(log).toContain('cannot stat')
  expect([exit.exitCode, exit.files.config?.status, image], log).toEqual([0, 'present', 'accepted'])
})

it('a missing base image is reported', async () => {
  const { exit } = await bench.build([[{ name: 'context/Dockerfile' }, 'FROM none']], ['none'])
  expect(exit.exitCode).toBe(buildExitCodes.baseImageUnavailable)
})

it.each([
  ['is refused', 'LABEL a=b', buildExitCodes.workspaceFilled],
  ['is none where the Dockerfile removes it', `COPY --from=${curated} / /\nRUN rm -r /workspace/d`, 0],
])('content of a base image below /workspace %s', async (_what, steps, exitCode) => {
  const { exit, log } = await buildOn(
    'FROM scratch\nCOPY a /workspace/d/a',
    `FROM localhost/foreign\n${steps}`,
  )
  expect(exit.exitCode, log).toBe(exitCode)
  expect(log.includes('The image has /workspace/d/a.'), log).toBe(exitCode !== 0)
})

it.each([
  ['WORKDIR', 'FROM scratch\nCOPY a /a\nWORKDIR /workspace', true],
  ['a folder', `FROM ${curated}\nRUN mkdir -p /workspace/x`, true],
  ['another place', 'FROM scratch\nCOPY a /a\nWORKDIR /workspaces', false],
])('an image with %s at or below /workspace is warned of', async (_what, dockerfile, isWarned) => {
  const { exit, log, image } = await bench.build(
    [
      [{ name: 'context/Dockerfile' }, dockerfile],
      [{ name: 'context/a' }, 'a'],
    ],
    dockerfile.includes(curated) ? [curated] : [],
  )
  expect([exit.exitCode, image], log).toEqual([0, 'accepted'])
  expect(log.includes('warning: /workspace is the disk of a run'), log).toBe(isWarned)
})
