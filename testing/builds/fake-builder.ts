import { Readable } from 'node:stream'
import type { Builder } from '../../agent/port/platform.ts'
import type { SandboxExit } from '../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { tar } from '../../reader/formats/archive-fixtures.ts'
import { ByteReader } from '../../reader/formats/byte-reader.ts'
import { readTar } from '../../reader/formats/tar/tar-reader.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import {
  baseLayerScript,
  builderEnded,
  buildScript,
  cachedStageScript,
} from '../../server/builds/builder/build-script.ts'
import { modelledBuildah } from '../../server/builds/builder/builder-version.ts'
import { FakeExecutor, type FakeOutcome } from '../fake-executor/fake-executor.ts'
import { testImage } from '../registry/registry-fixture.ts'

/** The one base image. */
export const fakeBase = { name: 'localhost/curated/tiny:2', digest: sha256Of('tiny') }

const slots = 64

/**
 * The executor of builds in memory, for tests of what the service does with the results of builders. Its builder takes the input of
 * a real one and leaves the same files. Of a Dockerfile it follows COPY of single files, ENV, USER, `RUN echo ran NAME`, `RUN false`,
 * `RUN exit N`, and `RUN sleep`, which lasts until the time limit. A stage that starts from another one, or from cached layers, has
 * only its own files. It exports no base layer, so an image is one tree.
 */
export class FakeBuilder extends FakeExecutor {
  constructor() {
    super(outcomeOf, slots)
  }

  override async builder(): Promise<Builder> {
    return { toolchainDigest: sha256Of('toolchain'), baseImages: [fakeBase] }
  }
}

type Files = Map<string, Buffer>
type End = 'whole' | 'failed' | 'late'

const exitOf: Record<End, Partial<SandboxExit>> = {
  whole: {},
  failed: { exitCode: 1 },
  late: { cause: 'deadline', exitCode: null },
}

async function outcomeOf(spec: SandboxSpec, input: Buffer): Promise<FakeOutcome> {
  // The smoke test of an image, whose input is the user.
  if (spec.rootfs.kind === 'image') return { log: `started as ${String(input).trim() || '0:0'}\n` }
  const [, , script, , ...bases] = spec.argv
  if (script === baseLayerScript) return { exit: { exitCode: 1 } }
  const files = await filesOf(input)
  const built = follow(files)
  const log = (await firstLines(files, bases)) + built.log
  const exit = exitOf[built.end]
  const isWhole = built.end === 'whole'
  if (script === cachedStageScript)
    return { log, exit, ...(isWhole && { files: { image: stageTar(built.image) } }) }
  if (script !== buildScript) throw new Error('this is no script of a build')
  const steps = Buffer.from(built.steps.join('\n'))
  if (!isWhole) return { log, exit, files: { steps } }
  const entries = [...built.image].map(([name, content]) => ({ name: `./${name}`, content }))
  const config = Buffer.from(JSON.stringify({ config: { Env: built.env, User: built.user } }))
  return { log, exit, files: { image: tar(...entries), config, steps } }
}

async function filesOf(input: Buffer): Promise<Files> {
  const files: Files = new Map()
  for await (const { name, body } of readTar(new ByteReader(Readable.from([input])))) {
    const chunks: Buffer[] = []
    for await (const bytes of body) chunks.push(bytes)
    files.set(String(name), Buffer.concat(chunks))
  }
  return files
}

/** The text that the script prints before the first step: the earlier log, and the digests of the images. */
async function firstLines(files: Files, bases: readonly string[]): Promise<string> {
  const lines = [
    `buildah version ${modelledBuildah}.0`,
    ...bases.map((base) => `base ${fakeBase.digest} ${base}`),
  ]
  for (const [path, image] of files) {
    const [, stage] = /^prefixes\/(\d+)\/image\.tar$/.exec(path) ?? []
    if (stage === undefined) continue
    lines.push(`prefix ${sha256Of((await filesOf(image)).get('manifest.json') ?? '')} ${stage}`)
  }
  const text = (path: string) => String(files.get(path) ?? '')
  return `${text('prefixes/log')}${lines.join('\n')}\n${text('prefixes/notes')}${text('notes')}`
}

interface Followed {
  image: Files
  env: string[]
  user: string
  log: string
  /** A line for each instruction but FROM, and one for each stage that ended; of a builder that was not killed, its last line. */
  steps: string[]
  end: End
}

/** Follows the instructions, up to the one that fails. */
function follow(files: Files): Followed {
  const built: Followed = { image: new Map(), env: [], user: '', log: '', steps: [], end: 'whole' }
  const dockerfile = String(files.get('Dockerfile') ?? files.get('context/Dockerfile'))
  for (const line of dockerfile.split('\n').filter(Boolean)) {
    const [keyword = '', ...words] = line.split(' ')
    if (keyword === 'FROM') {
      if (built.steps.length > 0) built.steps.push('a stage')
      Object.assign(built, { image: new Map(), env: [], user: '' })
      continue
    }
    built.steps.push(keyword)
    if (keyword === 'ENV') built.env.push(...words)
    if (keyword === 'USER') built.user = words.join(' ')
    if (keyword === 'RUN')
      for (const [, name] of line.matchAll(/echo ran (\w+)/g)) built.log += `ran ${name}\n`
    const source = keyword === 'COPY' ? files.get(`context/${words[0]}`) : undefined
    if (source) built.image.set(words[0] ?? '', source)
    if (line.startsWith('RUN sleep ')) return { ...built, end: 'late' }
    if ((keyword === 'COPY' && !source) || /^RUN (?:false|exit [1-9])/.test(line)) {
      return { ...built, steps: [...built.steps, 'a stage', builderEnded], end: 'failed' }
    }
  }
  return { ...built, steps: [...built.steps, 'a stage'] }
}

/** A cached stage as the script writes it: the manifest, then the blobs. */
function stageTar(image: Files): Buffer {
  const { manifest, blobs } = testImage([...image].map(([name, content]) => ({ name, content })))
  return tar(
    { name: 'manifest.json', content: manifest.bytes },
    ...blobs.map(({ digest, bytes }) => ({ name: digest.slice('sha256:'.length), content: bytes })),
  )
}
