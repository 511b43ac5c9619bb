import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { type MeasuredRate, rateRowOf } from './harness/measure/rate-row.ts'
import { interleaved } from './harness/measure/rounds.ts'
import type { Row } from './harness/measure/row.ts'
import { buildLauncher, Launcher } from './harness/sandbox/launcher.ts'
import { Author } from './harness/service/author.ts'
import { atService, type Setup } from './harness/service/service.ts'
import { tarEnd, tarFile } from './harness/service/tar-file.ts'

const mib = 1024 ** 2
const files = 1023
/** Each round stores a gibibyte, and counts against the uploads that a company may make in a minute. */
const roundsMax = 3
const restMs = 1000
const pollMs = 20
const peerName = 'tar and sha256sum'
/** Stores and syncs the archive, then hashes it, then hashes its content. */
const peerScript = 'cat "$0" >"$1"; sync "$1"; sha256sum "$1"; tar -xOf "$1" | sha256sum'
const companyFile = `
companies:
  - name: bench
    users:
      - { login: bench, role: company_administrator }
    api_keys:
      - { name: bench, owner: bench, scope: full }
`

/** Receives, stores, checks and hashes 1 GiB of build context; docs in bench/README.md. */
export const context: Benchmark = {
  name: 'context',
  about: 'an archive of 1 GiB received, stored, checked and hashed',
  run: async (options) => {
    options.say('context: starting a service')
    return atService('/var/tmp/bench-context-', (setup) => measure(options, setup))
  },
}

async function measure(options: BenchOptions, { service, work }: Setup): Promise<Row[]> {
  const archive = join(work, 'context.tar')
  const byteSize = await writeArchive(archive)
  const { bench: apiKey = '' } = await service.apply(companyFile)
  const author = await Author.with(createClient({ baseUrl: service.baseUrl, apiKey }))
  const command = ['/bin/sh', '-ec', peerScript, archive, join(work, 'stored')]
  const peer = new Launcher({ launcher: await buildLauncher(work), command, errors: join(work, 'errors') })
  let cpuMs = 0
  const ours = async () => {
    const before = await treeCpuMs(service.pid)
    const startedAt = performance.now()
    const object = await author.send({
      byteSize,
      open: () => createReadStream(archive, { highWaterMark: mib }),
    })
    await author.refused(object, pollMs)
    const tookMs = performance.now() - startedAt
    cpuMs += (await treeCpuMs(service.pid)) - before
    return tookMs
  }
  try {
    const rounds = Math.min(options.rounds, roundsMax)
    const machine = machineNote()
    const samples = await interleaved(
      [
        { name: 'ours', once: ours },
        { name: peerName, once: () => peer.once() },
      ],
      {
        rounds,
        warmups: 0,
        restMs,
        onRound: (round) => options.say(`context: round ${round + 1} of ${rounds}`),
      },
    )
    const ratesOf = (name: string, cpu: number | null): MeasuredRate => ({
      results: (samples.get(name) ?? []).map((tookMs) => ({
        answers: 1,
        ratePerSecond: byteSize / mib / (tookMs / 1000),
        p50Ms: tookMs,
        p99Ms: tookMs,
      })),
      cpuMs: cpu,
    })
    return [
      rateRowOf({
        name: 'context',
        ours: ratesOf('ours', cpuMs),
        peer: {
          name: peerName,
          measured: ratesOf(peerName, peer.cpuMs === null ? null : peer.cpuMs * rounds),
          reach: { atLeast: 0.7 },
        },
        notes: [
          'rates are MiB per second; cpu of ours is that of the service, without the sending client',
          machine(),
        ],
      }),
    ]
  } finally {
    await peer.close()
  }
}

/** Files of a mebibyte that do not compress, and a Dockerfile that is refused last: nothing is built. */
async function writeArchive(path: string): Promise<number> {
  const file = await open(path, 'wx')
  try {
    await file.write(tarFile('Dockerfile', Buffer.from('FROM scratch\nRUN --network=host true\n')))
    for (let at = 0; at < files; at += 1) await file.write(tarFile(`f${at}`, randomBytes(mib)))
    await file.write(tarEnd)
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}
