import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { RunTimer } from './harness/load/submit-and-wait.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { interleaved } from './harness/measure/rounds.ts'
import { type Measured, type Row, rowOf } from './harness/measure/row.ts'
import { type BenchJob, makeJob } from './harness/sandbox/bench-job.ts'
import { buildLauncher, Launcher } from './harness/sandbox/launcher.ts'
import { atService, type Setup } from './harness/service/service.ts'
import { preparePodman } from './peers/podman.ts'
import { profileRuns } from './profile/run-profile.ts'

const fileCount = 20
const fileBytes = 10_000_000
const roundsMax = 15
const warmups = 2
const restMs = 500
const pollMs = 25

const bare = 'the same run without a session'
const podman = 'podman run -v'
const about = 'a run that changes one small file of a session of 200 MB'

/** A run with a large session, compared with the same run without one; docs in bench/README.md. */
export const sessionRun: Benchmark = {
  name: 'session-run',
  about,
  run: (options) => {
    options.say('session-run: starting a service')
    return atService('/var/tmp/bench-session-run-', (setup) => measure(options, setup))
  },
}

async function measure(options: BenchOptions, { service, work }: Setup): Promise<Row[]> {
  options.say('session-run: building the job and filling the session')
  const job = await makeJob(service, '[ ! -d session ] || date > session/changed\n')
  const files = Array.from({ length: fileCount }, () => randomBytes(fileBytes))
  const sessionId = await fillSession(job, files)
  const withSession = new RunTimer(job, { baseUrl: service.baseUrl, pollMs, sessionId })
  const without = new RunTimer(job, { baseUrl: service.baseUrl, pollMs })
  const peer = options.peers ? await podmanWithFiles(work, files) : undefined
  const subjects = [
    { name: about, once: async () => (await withSession.once(0)).totalMs },
    { name: bare, once: async () => (await without.once(0)).totalMs },
    ...(peer ? [{ name: podman, once: () => peer.once() }] : []),
  ]
  try {
    const machine = machineNote()
    const rounds = Math.min(options.rounds, roundsMax)
    const samples = await interleaved(subjects, { rounds, warmups, restMs })
    if (options.profile) options.say(await profileRuns(service, () => withSession.once(0), rounds))
    const measured = (name: string): Measured | undefined => {
      const samplesMs = samples.get(name)
      return samplesMs && { samplesMs, cpuMs: null }
    }
    return [bare, podman].map((name) =>
      rowOf({
        name: 'session-run',
        ours: measured(about),
        peer: {
          name,
          measured: measured(name),
          reach: undefined,
          notes: measured(name) ? [] : [`${name} is measured with --peers only`],
        },
        floor: {},
        notes: [machine()],
      }),
    )
  } finally {
    withSession.close()
    without.close()
    await peer?.close()
  }
}

async function fillSession(
  { client, chatroomId: cid }: BenchJob,
  files: readonly Buffer<ArrayBuffer>[],
): Promise<string> {
  const { id } = await client.call(allRoutes.createSession, { params: { cid }, body: {} })
  for (const [at, bytes] of files.entries())
    await client.call(allRoutes.writeSessionFile, {
      params: { cid, sid: id },
      query: { path: `data/${at}` },
      upload: new Blob([bytes]).stream(),
      headers: { 'content-length': String(bytes.length) },
    })
  return id
}

/** A container that changes one small file of a mounted folder with the same files. */
async function podmanWithFiles(work: string, files: readonly Buffer<ArrayBuffer>[]): Promise<Launcher> {
  const folder = join(work, 'session')
  await mkdir(join(folder, 'data'), { recursive: true })
  for (const [at, bytes] of files.entries()) await writeFile(join(folder, 'data', String(at)), bytes)
  const { wrapper, runCommand } = await preparePodman(join(work, 'podman'))
  return new Launcher({
    launcher: await buildLauncher(work),
    command: runCommand(['-v', `${folder}:/session`], ['touch', '/session/changed']),
    errors: join(work, 'errors'),
    wrapper,
  })
}
