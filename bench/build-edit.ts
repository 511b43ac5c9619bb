import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { keptBytes } from './harness/measure/kept-bytes.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { rounded } from './harness/measure/percentile.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { interleaved } from './harness/measure/rounds.ts'
import { type Row, rowOf } from './harness/measure/row.ts'
import { buildLauncher } from './harness/sandbox/launcher.ts'
import { writeContext } from './harness/service/author.ts'
import { EditedJob, editedBytes, editedContext, editedPath } from './harness/service/edited-job.ts'
import { addLargeBase, largeBaseName, writeLargeBase } from './harness/service/large-base.ts'
import { atService, type Setup } from './harness/service/service.ts'
import { buildahBuildAndRun } from './peers/buildah-run.ts'

const roundsMax = 5
const warmups = 2
/** A company may upload five times a minute, and a round takes seconds. */
const restMs = 12_000
const peerName = 'buildah bud --layers and crun'

/** One changed line above a large base, from the upload to the result of a run; docs in bench/README.md. */
export const buildEdit: Benchmark = {
  name: 'build-edit',
  about: 'one changed line above a base of 1 GB and 30,000 files, from its upload to the result of a run',
  run: (options) => {
    options.say('build-edit: starting a service')
    return atService('/var/tmp/bench-build-edit-', (setup) => measure(options, setup))
  },
}

async function measure(options: BenchOptions, { service, work }: Setup): Promise<Row[]> {
  options.say('build-edit: making the base image')
  await addLargeBase(service.dataDir)
  const job = await EditedJob.start(service)
  const peer = options.peers ? await peerOf(work) : undefined
  let cpuMs = 0
  const ours = async () => {
    const before = await treeCpuMs(service.pid)
    const { tookMs, stages } = await job.once(`line ${randomUUID()}`)
    cpuMs += (await treeCpuMs(service.pid)) - before
    options.say(`build-edit: ${rounded(tookMs)} ms: ${stages}`)
    return tookMs
  }
  const subjects = [{ name: 'ours', once: ours }, ...(peer ? [{ name: peerName, once: peer.once }] : [])]
  try {
    await job.once('before')
    await interleaved(subjects, { rounds: 0, warmups, restMs })
    cpuMs = 0
    job.forget()
    const rounds = Math.min(options.rounds, roundsMax)
    const machine = machineNote()
    const kept = await keptBytes(service.dataDir)
    const samples = await interleaved(subjects, { rounds, warmups: 0, restMs })
    const grown = await keptBytes(service.dataDir)
    const peerSamples = samples.get(peerName)
    return [
      rowOf({
        name: 'build-edit',
        ours: { samplesMs: samples.get('ours') ?? [], cpuMs: cpuMs / rounds },
        peer: {
          name: peerName,
          measured: peerSamples && { samplesMs: peerSamples, cpuMs: null },
          reach: { atMost: 1 },
          notes: peer ? [] : [`${peerName} is measured with --peers only`],
        },
        floor: {},
        notes: [
          `ours, medians: ${job.stages()}`,
          `kept per version, over the bytes of the changed file: ` +
            `stored ${factor(grown.objects - kept.objects, rounds)}, unpacked on the host ${factor(grown.trees - kept.trees, rounds)}`,
          machine(),
        ],
      }),
    ]
  } finally {
    await peer?.close()
  }
}

const factor = (bytes: number, rounds: number) => `${rounded(bytes / rounds / editedBytes)} x`

/** The same edit with programs that cache layers, and a container of the result. */
async function peerOf(work: string) {
  const context = join(work, 'context')
  await mkdir(context)
  await writeContext(context, editedContext('before'))
  const tar = join(work, 'base.tar')
  await writeLargeBase(tar)
  const launcher = await buildahBuildAndRun({
    launcher: await buildLauncher(work),
    folder: join(work, 'buildah'),
    context,
    base: { tar, name: largeBaseName },
    words: ['/bin/busybox', 'head', '-n', '1', editedPath],
  })
  return {
    once: async () => {
      await writeContext(context, editedContext(`line ${randomUUID()}`))
      return launcher.once()
    },
    close: () => launcher.close(),
  }
}
