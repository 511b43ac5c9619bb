import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { RealChainBench } from '../../../testing/chain-bench.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'

/* Dockerfiles and contexts that people have, from the upload to the version: each means what it means to Docker, or is refused in words. */

const { db } = await createTestDatabase()
let bench: RealChainBench
let tenant: Tenant
let environment: string

// One company for all tests: making a base layer takes longer than a build on it.
beforeAll(async () => {
  bench = await RealChainBench.start(db)
  tenant = await makeTenant(db)
})
afterAll(() => bench.dispose())
beforeEach(async () => {
  environment = await bench.environment(tenant)
})

type Entry = Parameters<typeof tar>[number]

const base = 'FROM curated/tiny:2'

const build = (lines: string[], ...entries: Entry[]) =>
  bench.build(tar({ name: 'Dockerfile', content: [base, ...lines].join('\n') }, ...entries), {
    owner: tenant,
    environment,
  })

const rootfs: Entry[] = [{ name: 'rootfs/bin/foo.sh' }, { name: 'rootfs/etc/app/c' }]

test.each([[[]], [['RUN ls -l /bin']]])(
  'a folder onto a link of the base image fails at its COPY, before %j',
  async (more) => {
    const ended = await build(['ENV A=b', 'COPY rootfs /', ...more], ...rootfs)
    expect(ended).toMatchObject({ error_code: 'dockerfile_exit', error_detail: 'line_3' })
    expect(ended.log).toContain(
      'Dockerfile:3: COPY cannot copy to non-directory: /bin is a link to usr/bin in the image',
    )
    expect(ended.log).not.toContain('.sandbox-check')
  },
)

test('an image that has lost its shell, or whose shell does not start, fails when it is started', async () => {
  const lost = await build(['RUN rm /bin && mkdir /bin'])
  expect(lost).toMatchObject({ error_code: 'smoke_failed', error_detail: 'image_shell_missing' })
  const broken = await build(['RUN ln -sf /none /usr/bin/sh'])
  expect(broken).toMatchObject({ error_code: 'smoke_failed', error_detail: 'image_shell_fails' })
})

test('an ignore file with all but some patterns leaves files below folders', async () => {
  const files = ['cmd/main.go', 'internal/controller/c.go', 'internal/controller/c_test.go', 'go.mod', 'note']
  const ended = await build(
    ['COPY . /src', 'RUN cd /src && echo "seen: $(find . -type f | sort | xargs)"'],
    ...files.map((name) => ({ name })),
    { name: '.dockerignore', content: '**\n!**/*.go\n**/*_test.go\n!go.mod\n' },
  )
  expect(ended, ended.log).toMatchObject({ state: 'completed' })
  expect(ended.log).toContain('seen: ./cmd/main.go ./go.mod ./internal/controller/c.go\n')
})

test('a linked Dockerfile, a mount of the context and a file with two names build', async () => {
  const content = `${base}\nRUN --mount=source=req.txt,target=req.txt cat req.txt\nCOPY other /\nRUN cat /other\n`
  const archive = tar(
    { name: 'Dockerfile', type: '2', linkName: 'docker/Dockerfile' },
    { name: 'docker/Dockerfile', content },
    { name: 'hidden', content: 'two names' },
    { name: 'other', type: '1', linkName: 'hidden' },
    { name: 'req.txt', content: 'required' },
    { name: '.dockerignore', content: 'hidden\ndocker' },
  )
  const ended = await bench.build(archive, { owner: tenant, environment })
  expect(ended, ended.log).toMatchObject({ state: 'completed' })
  expect(ended.log).toMatch(/required.*two names/s)
})

test('an archive with an owner that a sandbox does not have is explained in a short log', async () => {
  const owner = ['--owner=:1447526485', '--group=:1447526485', '--transform=s,.*,package/index.js,']
  const content = execFileSync('tar', ['-cz', ...owner, '-C', import.meta.dirname, 'run-chain.ts'])
  const added = await build(['ADD p.tar.gz /opt/'], { name: 'p.tar.gz', content })
  expect(added).toMatchObject({ error_code: 'dockerfile_exit', error_detail: 'line_2' })
  expect(added.log).toContain('with tar --no-same-owner')
  expect(added.log).not.toContain('copier.request')
  const unpacked = await build(
    ['COPY p.tar.gz /', 'RUN mkdir /opt && tar xzf p.tar.gz --no-same-owner -C /opt && ls -n /opt/package'],
    {
      name: 'p.tar.gz',
      content,
    },
  )
  expect(unpacked, unpacked.log).toMatchObject({ state: 'completed' })
})

test('an archive of one folder is built as that folder, with a warning, and a failure has the line of its Dockerfile', async () => {
  const folder = (...lines: string[]) =>
    tar(
      { name: 'app-1.0/Dockerfile', content: [base, ...lines].join('\n') },
      { name: 'app-1.0/.dockerignore', content: 'secret' },
      { name: 'app-1.0/src/a' },
      { name: 'app-1.0/secret' },
    )
  const steps = ['COPY . /app', 'RUN cd /app && echo "seen: $(find . -type f | sort | xargs)"']
  const ended = await bench.build(folder(...steps), { owner: tenant, environment })
  expect(ended, ended.log).toMatchObject({ state: 'completed' })
  expect(ended.log).toContain('seen: ./.dockerignore ./Dockerfile ./src/a\n')
  expect(ended.log.match(/^warning: .*$/gm)).toEqual([
    'warning: the folder app-1.0 is all there is in the archive: it is taken as the build context.',
  ])
  const failed = await bench.build(folder(...steps, 'RUN false'), { owner: tenant, environment })
  expect(failed).toMatchObject({ error_code: 'dockerfile_exit', error_detail: 'line_4' })
  expect(failed.log.match(/^warning: /gm)).toHaveLength(1)
})

test('a step has LANG as a run has it: that of the image, of the author, or of the platform, which is in no image', async () => {
  const lines = [
    `${base} AS tools`,
    'RUN echo "of the image: $LANG"',
    'FROM scratch AS author',
    'COPY --from=tools / /',
    'ARG LANG=ga_IE.UTF-8',
    'RUN echo "of the author: $LANG" && touch /by',
    'FROM scratch',
    'COPY --from=tools / /',
    'COPY --from=author /by /by',
    'RUN echo "of the platform: $LANG"',
    'ENV GREETING=hello',
    'RUN echo "still: $LANG"',
  ]
  const archive = tar({ name: 'Dockerfile', content: lines.join('\n') })
  const ended = await bench.build(archive, { owner: tenant, environment })
  expect(ended, ended.log).toMatchObject({ state: 'completed' })
  expect(ended.log.match(/^(?:of|still).*$/gm)).toEqual([
    'of the image: C.UTF-8',
    'of the author: ga_IE.UTF-8',
    'of the platform: C.UTF-8',
    'still: C.UTF-8',
  ])
  const { image_config } = await db
    .selectFrom('environment_versions')
    .select('image_config')
    .where('id', '=', ended.id)
    .executeTakeFirstOrThrow()
  expect(image_config?.env.filter((entry) => !entry.startsWith('PATH='))).toEqual(['GREETING=hello'])
})
