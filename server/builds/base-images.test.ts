import { afterAll, beforeAll, expect, it } from 'vitest'
import { tarOf } from '../executor/oci/test-agent.ts'
import { buildExitCodes, buildFromBases } from './build-script.ts'
import { BuilderBench } from './hostile/builder-bench.ts'

/* Base images that somebody else made, put into the builder's own store beside the curated ones. */

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
}, 60_000)
afterAll(() => bench.dispose(), 60_000)

/** Builds `dockerfile` with a base image `localhost/foreign` that `foreign` makes. */
const buildOn = (foreign: string, dockerfile: string, links: Buffer = Buffer.alloc(1024)) =>
  bench.script(
    `cat >Foreign <<'END'\n${foreign}\nEND
buildah bud --format docker -t foreign -f Foreign context >/dev/null 2>&1
set -- localhost/foreign
${buildFromBases}`,
    [
      [{ name: 'context/Dockerfile' }, dockerfile],
      [{ name: 'context/a' }, 'a'],
      [{ name: 'context/links.tar' }, links],
    ],
  )

it('a base image without instructions of its own is built on', async () => {
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

const curated = 'curated/python:3.11'

it.each([
  [
    'as a stage of its own',
    `FROM ${curated} AS tools\nFROM scratch\nCOPY --from=tools /etc/debian_version /h`,
  ],
  ['by its name', `FROM scratch\nCOPY --from=${curated} /etc/debian_version /h`],
])('what is copied out of a base image %s is built', async (_name, dockerfile) => {
  const { exit, log, image } = await bench.build([[{ name: 'context/Dockerfile' }, dockerfile]], [curated])
  expect([exit.exitCode, image], log).toEqual([0, 'accepted'])
})

it('a base image that is not there is said to be missing', async () => {
  const { exit } = await bench.build([[{ name: 'context/Dockerfile' }, 'FROM none']], ['none'])
  expect(exit.exitCode).toBe(buildExitCodes.baseImageUnavailable)
})

it.each(['dev', 'proc', 'sys', 'run', 'tmp', 'workspace'])(
  'an image on a base image whose /%s is a link is refused',
  async (folder) => {
    const { log, image } = await buildOn(
      'FROM scratch\nADD links.tar /',
      'FROM localhost/foreign\nLABEL a=b',
      await tarOf([[{ name: folder, type: 'symlink', linkname: '/etc' }]]),
    )
    expect(image, log).toBe('image_path_reserved')
  },
)
