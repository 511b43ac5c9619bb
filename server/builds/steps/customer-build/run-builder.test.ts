import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AgentClient } from '../../../../agent/client/agent-client.ts'
import type { SandboxLimits, SandboxSpec } from '../../../../agent/port/sandbox-spec.ts'
import type { StartInput } from '../../../../agent/port/start-input.ts'
import { type TarFields, tar } from '../../../../reader/formats/archive-fixtures.ts'
import { makeBuildTools, makeSigningKeys } from '../../../../testing/build-tools.ts'
import { BuilderBench } from '../../../../testing/builds/builder-bench.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeBuildAttempt } from '../../../../testing/factories/build-attempt.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'
import { DiskStorage } from '../../../storage/disk.ts'
import { imageSteps } from '../../chain/build-chain.ts'
import { buildLogKey } from '../../logs/build-log-store.ts'
import type { Build } from '../../request/build.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import type { BuildRequest } from '../../request/build-request.ts'
import { removeBuildSandboxes } from '../../sandboxes/build-sandboxes.ts'

/* Dockerfiles that fail, through the real builder in its sandbox. */

const { db } = await createTestDatabase()
const { companyId } = await makeTenant(db)
const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-customer-build-'))
const storage = new DiskStorage(folder)
// One for all builds, so that they find the base layer of the first.
const signing = makeSigningKeys()
const base = 'FROM curated/tiny:2'
const mib = 1024 ** 2
let bench: BuilderBench

beforeAll(async () => {
  bench = await BuilderBench.start()
})
afterAll(async () => {
  await bench.dispose()
  rmSync(folder, { recursive: true })
})

/** Adds the limits that a test needs, and shell lines before the script. */
class LimitedAgent extends AgentClient {
  readonly #limits: Partial<SandboxLimits>
  readonly #before: string

  constructor(socketPath: string, limits: Partial<SandboxLimits>, before: string) {
    super(socketPath)
    this.#limits = { workspaceBytes: 1024 * mib, workspaceInodes: 100_000, ...limits }
    this.#before = before
  }

  override start(spec: SandboxSpec, input: StartInput): Promise<void> {
    const [shell = '', flag = '', script = '', ...words] = spec.argv
    const argv = [shell, flag, `${this.#before}\n${script}`, ...words]
    return super.start({ ...spec, argv, limits: { ...spec.limits, ...this.#limits } }, input)
  }
}

const uploadedAt = new Date(1_700_000_000_000)

/** The failure of a build of these lines, and its log. */
async function failureOf(
  lines: string[],
  limits: Partial<SandboxLimits> = {},
  before = '',
  files: TarFields[] = [],
) {
  const { id: attemptId } = await makeBuildAttempt(db, { companyId })
  const archive = tar({ name: 'Dockerfile', content: lines.join('\n') }, ...files)
  await storage.put(attemptId, archive)
  const digest = `sha256:${createHash('sha256').update(archive).digest('hex')}`
  const request: Partial<BuildRequest> = {
    attemptId,
    companyId,
    buildProfile: 'standard',
    resourceProfile: 'standard',
    isolation: 'standard',
    cache: 'none',
    context: { key: attemptId, format: 'tar', byteSize: archive.length, digest, uploadedAt },
  }
  const executor = new LimitedAgent(join(bench.agent.dataDir, 'agent.sock'), limits, before)
  const build = {
    request,
    db,
    tools: { ...makeBuildTools(db, { storage, executor }), signing },
    signal: new AbortController().signal,
  } as unknown as Build
  const run = imageSteps.run({}, (step, values) => step.run(build, values))
  const failure = await run.catch((error: unknown) => error)
  await removeBuildSandboxes(build)
  executor.close()
  if (!(failure instanceof BuildFailed)) throw new Error('the build did not fail', { cause: failure })
  const { code, detail, instruction } = failure
  return { code, detail, instruction, log: await text(await storage.get(buildLogKey(attemptId))) }
}

it('builds nothing with a builder version that the gate does not model', async () => {
  const other = `sed() { case "$*" in */dpkg/status) echo 1.28.2 ;; *) command sed "$@" ;; esac; }`
  const { code, detail, log } = await failureOf([base, 'RUN echo ran'], {}, other)
  expect([code, detail]).toEqual(['platform_failed', 'builder_version_unknown'])
  expect(log).toContain('Nothing is built: Dockerfiles are checked for buildah 1.39 here')
  expect(log).not.toContain('STEP')
})

it('reports the failed instruction, whatever other steps print and whichever stages are skipped', async () => {
  const { log, ...failure } = await failureOf([
    `${base} AS tools`,
    'RUN echo "[3/3] STEP 9/9: RUN fake"; echo "Error: building at STEP fake"',
    `${base} AS unused`,
    'RUN false',
    'FROM tools',
    'ENV A=1 \\',
    '  B=2',
    'RUN true \\',
    '  && exit 3',
    'RUN true',
  ])
  expect(failure, log).toEqual({
    code: 'dockerfile_exit',
    detail: 'line_8',
    instruction: { line: 8, stage: 3, stage_name: null, text: 'RUN true   && exit 3' },
  })
})

it('reports a missing source', async () => {
  const { log, ...failure } = await failureOf([base, 'COPY nothing /x', 'RUN true'])
  expect(failure, log).toMatchObject({ code: 'dockerfile_exit', detail: 'line_2' })
})

it('reports the instruction that filled the disk, after any number of instructions', async () => {
  // The builder's progress is longer than a block of the disk.
  const labels = Array.from({ length: 80 }, (_, at) => `LABEL l${at}=x`)
  const filling = 'RUN dd if=/dev/zero of=/filled bs=1M count=4000'
  const { log, ...failure } = await failureOf([base, ...labels, filling], { workspaceBytes: 128 * mib })
  expect(failure, log).toMatchObject({ code: 'build_disk_full', detail: 'line_82' })
})

it('reports the instruction that exhausted the memory', async () => {
  const { log, ...failure } = await failureOf([base, 'RUN dd if=/dev/zero of=/dev/null bs=700M count=1'], {
    memoryBytes: 512 * mib,
  })
  expect(failure, log).toMatchObject({ code: 'build_out_of_memory', detail: 'line_2' })
})

it('gives files of the context the times of the archive, and that of the upload where it has none', async () => {
  const timed = (1_600_000_000).toString(8).padStart(11, '0')
  const files: TarFields[] = [{ name: 'old', patch: [136, timed] }, { name: 'timeless' }]
  const lines = [
    base,
    'COPY . /app',
    "RUN cd /app; for f in old timeless; do stat -c '%n %Y' $f; done; false",
  ]
  const { log } = await failureOf(lines, {}, '', files)
  expect(log).toContain('\nold 1600000000\ntimeless 1700000000\n')
})

it.each([
  ['of a stage', [base, 'WORKDIR /workspace', 'COPY Dockerfile .'], 'Dockerfile'],
  [
    'of an earlier stage',
    [`${base} AS filled`, 'RUN mkdir -p /workspace/a && ln -s x /workspace/a/b', 'FROM filled'],
    'a/b',
  ],
])('refuses a file %s below /workspace, and says why', async (_what, lines, path) => {
  const { log, ...failure } = await failureOf(lines)
  expect(failure, log).toMatchObject({ code: 'context_invalid', detail: 'image_workspace_filled' })
  expect(log).toContain(`\nThe image has /workspace/${path}. A run has a disk of its own at /workspace`)
})

it('reports which entry of the image is refused, and why', async () => {
  const { log, ...failure } = await failureOf(['FROM scratch', 'COPY Dockerfile /dev'])
  expect(failure, log).toMatchObject({
    code: 'context_invalid',
    detail: 'reserved_path_or_hostile_entry;image_path_reserved',
  })
  expect(log).toMatch(/^buildah version/)
  expect(log).toMatch(
    /\nimage, entry \.\/dev: .*\/dev, \/proc and \/sys hold folders only.*\(image_path_reserved\)\n$/,
  )
})

it.each([
  ['a copy', 'COPY Dockerfile /etc/.wh.passwd'],
  ['an empty file', 'RUN touch /etc/.wh.passwd'],
  ['a file that hides a folder', 'RUN touch /etc/.wh..wh..opq'],
  ['a folder', 'RUN mkdir -p /etc/.wh.passwd'],
])('refuses %s with a whiteout name, and reports the name', async (_what, step) => {
  const { log, ...failure } = await failureOf([base, step])
  expect(failure, log).toMatchObject({
    code: 'context_invalid',
    detail: 'reserved_path_or_hostile_entry;image_whiteout',
  })
  expect(log).toMatch(/\nan image cannot have the name etc\/\.wh\./)
})

it('refuses a tree that is deeper than a path may be, and does not truncate it', async () => {
  const name = 'd'.repeat(200)
  const deepen = `i=0; while [ $i -lt 30 ]; do mkdir ${name} && cd ${name}; i=$((i+1)); done; echo x >leaf`
  const { log, ...failure } = await failureOf([base, `RUN ${deepen}`])
  expect(failure, log).toMatchObject({ code: 'context_invalid', detail: 'path_too_long' })
  expect(log).toMatch(/\(path_too_long\)\n$/)
})

it('names no instruction if none was running', async () => {
  const { log, ...failure } = await failureOf(['FROM curated/none:1', 'RUN true'])
  expect(failure, log).toEqual({
    code: 'dockerfile_exit',
    detail: 'base_image_unavailable',
    instruction: undefined,
  })
})
