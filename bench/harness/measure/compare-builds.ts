import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { buildahBuild } from '../../peers/buildah.ts'
import { type Docker, dockerBuild, startDocker } from '../../peers/docker.ts'
import { buildLauncher, Launcher } from '../sandbox/launcher.ts'
import { Author, writeContext } from '../service/author.ts'
import { type BenchService, startService } from '../service/service.ts'
import { twelveSteps } from '../service/twelve-steps.ts'
import type { BenchOptions } from './benchmark.ts'
import { machineNote } from './machine-note.ts'
import { percentile, rounded } from './percentile.ts'
import { treeCpuMs } from './process-cpu.ts'
import { interleaved, type Subject } from './rounds.ts'
import { type Reach, type Row, rowOf } from './row.ts'

/** Repeats the build of twelve steps, compared with programs that cache layers. */
export interface BuildComparison {
  name: string
  /** The change between rounds. */
  changes: 'nothing' | 'one file'
  reach: Reach
  roundsMax: number
}

const warmups = 2
const restMs = 300
const pollMs = 2
const execFloor = 'fork and exec of /bin/true'
/** A company may upload five times a minute; where every round has an upload, several companies upload by turns. */
const companies = 6

export async function compareBuilds(comparison: BuildComparison, options: BenchOptions): Promise<Row[]> {
  // On disk, like the data of the service: layers are synced.
  const work = await mkdtemp(join('/var/tmp', `bench-${comparison.name}-`))
  options.say(`${comparison.name}: starting a service`)
  const service = await startService()
  const docker = options.peers ? await startDocker(join(work, 'docker')) : undefined
  try {
    return await measure(comparison, { options, service, work, docker })
  } finally {
    await docker?.stop()
    await service.stop()
    await rm(work, { recursive: true, force: true })
  }
}

interface Setup {
  options: BenchOptions
  service: BenchService
  work: string
  docker: Docker | undefined
}

async function measure(
  comparison: BuildComparison,
  { options, service, work, docker }: Setup,
): Promise<Row[]> {
  const launcher = await buildLauncher(work)
  const ours = await OurBuilds.start(service, comparison.changes)
  const peers: Record<string, Launcher> = {}
  const contextOf = async (name: string) => {
    const folder = join(work, `${name}-context`)
    await mkdir(folder, { recursive: true })
    return folder
  }
  if (options.peers) {
    const context = await contextOf('buildah')
    peers['buildah bud --layers'] = await buildahBuild({ launcher, folder: join(work, 'buildah'), context })
  }
  if (docker) {
    const command = dockerBuild(docker, await contextOf('docker'))
    peers['docker build'] = new Launcher({ launcher, command, errors: join(work, 'errors') })
  }
  const exec = new Launcher({ launcher, command: ['/bin/true'], errors: join(work, 'errors') })
  const built = async (name: string, peer: Launcher) => {
    const change = comparison.changes === 'nothing' ? undefined : randomUUID()
    await writeContext(await contextOf(name.split(' ')[0] ?? ''), await twelveSteps(change))
    return peer.once()
  }
  const subjects: Subject[] = [
    { name: 'ours', once: () => ours.once() },
    { name: execFloor, once: () => exec.once() },
    ...Object.entries(peers).map(([name, peer]) => ({ name, once: () => built(name, peer) })),
  ]
  try {
    await interleaved(subjects, { rounds: 0, warmups, restMs })
    ours.cpuMs = 0
    const rounds = Math.min(options.rounds, comparison.roundsMax)
    const machine = machineNote()
    const onRound = (round: number) => round % 10 === 0 && options.say(`round ${round} of ${rounds}`)
    const samples = await interleaved(subjects, { rounds, warmups: 0, restMs, onRound })
    const notes = [...ours.notes, machine()]
    const floor = { [execFloor]: rounded(percentile(samples.get(execFloor) ?? [], 0.5)) }
    return ['buildah bud --layers', 'docker build'].map((name, at) =>
      rowOf({
        name: comparison.name,
        ours: { samplesMs: samples.get('ours') ?? [], cpuMs: ours.cpuMs / rounds },
        peer: {
          name,
          measured: peers[name] && {
            samplesMs: samples.get(name) ?? [],
            cpuMs: at === 0 ? peers[name].cpuMs : null,
          },
          reach: at === 0 ? comparison.reach : undefined,
          notes: peers[name] ? [] : [`${name} is measured with --peers only`],
        },
        floor,
        notes,
      }),
    )
  } finally {
    await Promise.all([exec, ...Object.values(peers)].map((each) => each.close()))
  }
}

/** Builds through the API, from the request for a version until a response says that it is built. */
class OurBuilds {
  readonly notes = [
    'ours: from the request for a version of an uploaded context to its end, detected by polling every two milliseconds; the image is ' +
      'flat, scanned, signed, attested, stored and installed; cpu is that of all processes of the service',
  ]
  cpuMs = 0
  readonly #service: BenchService
  readonly #authors: Author[]
  readonly #changes: BuildComparison['changes']
  readonly #uploaded: string
  #round = 0
  #fastestMs = 0

  private constructor(
    service: BenchService,
    changes: BuildComparison['changes'],
    parts: { authors: Author[]; uploaded: string },
  ) {
    this.#service = service
    this.#changes = changes
    this.#authors = parts.authors
    this.#uploaded = parts.uploaded
  }

  static async start(service: BenchService, changes: BuildComparison['changes']): Promise<OurBuilds> {
    const keys = await service.apply(companyFile)
    const authors: Author[] = []
    for (const apiKey of Object.values(keys)) {
      authors.push(await Author.with(createClient({ baseUrl: service.baseUrl, apiKey })))
    }
    let uploaded = ''
    for (const author of authors.toReversed()) {
      uploaded = await author.upload(await twelveSteps())
      await author.build(uploaded, { pollMs })
      if (changes === 'nothing') continue
      // The steps before the changed file are built separately and cached when the file changes for the first time.
      await author.build(await author.upload(await twelveSteps('once')), { pollMs })
    }
    return new OurBuilds(service, changes, { authors, uploaded })
  }

  async once(): Promise<number> {
    const author = this.#authors[this.#changes === 'nothing' ? 0 : this.#round % this.#authors.length]
    if (!author) throw new Error('no company was made')
    this.#round += 1
    const object =
      this.#changes === 'nothing' ? this.#uploaded : await author.upload(await twelveSteps(`${this.#round}`))
    const before = await treeCpuMs(this.#service.pid)
    // No build ends before this; an earlier poll would cost the build processor time.
    const quietMs = this.#fastestMs * 0.8
    const { tookMs } = await author.build(object, { pollMs, quietMs })
    this.#fastestMs = Math.min(this.#fastestMs || tookMs, tookMs)
    this.cpuMs += (await treeCpuMs(this.#service.pid)) - before
    return tookMs
  }
}

const companyFile = `companies:\n${Array.from(
  { length: companies },
  (_, at) => `
  - name: bench${at}
    users:
      - { login: bench${at}, role: company_administrator }
    api_keys:
      - { name: bench${at}, owner: bench${at}, scope: full }`,
).join('')}\n`
