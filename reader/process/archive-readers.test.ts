import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import { sleep } from '../../server/base/clock.ts'
import { createLog } from '../../server/base/logging.ts'
import { startTestReader, testReaders } from '../../testing/test-readers.ts'
import { type ArchiveFormat, type ArchiveSource, contextBounds } from '../formats/archive.ts'
import { chunksOf, listArchive, sourceOf, tar, zip } from '../formats/archive-fixtures.ts'
import { contextLimits } from './archive-readers.ts'
import { ImageVerifier } from './image-verifier.ts'
import { largeTar, largeTarGz, largeZip } from './large-archives.ts'
import { ReaderDied, ReaderProcess } from './reader-process.ts'

const log = createLog('test', 'silent')
const mib = 1024 ** 2
const dockerfile = { name: 'Dockerfile', content: 'FROM python:3.12\nRUN true\n' }

const stalling: ArchiveSource = { byteSize: 10_000, open: () => new Readable({ read: () => undefined }) }

describe('a context that a reader process reads', () => {
  it('gives its digest and base images in every format', async () => {
    const readers = testReaders(log)
    const asTar = await readers.inspectContext(sourceOf(tar(dockerfile, { name: 'a' })), 'tar')
    const asZip = await readers.inspectContext(sourceOf(zip([{ name: 'a' }, dockerfile])), 'zip')
    expect(asTar.bases).toEqual(['python:3.12'])
    expect(asZip).toEqual(asTar)
  })

  it('is refused with the slug of the reader or the slug and line of the gate', async () => {
    const readers = testReaders(log)
    const detail = (archive: Buffer, format: ArchiveFormat = 'tar') =>
      readers.inspectContext(sourceOf(archive), format).catch((error) => error.errorDetail)
    const refused = await Promise.all([
      detail(tar({ name: '../a' })),
      detail(tar(dockerfile).subarray(0, 700)),
      detail(Buffer.from('no zip'), 'zip'),
      detail(Buffer.alloc(0), 'tar'),
      detail(tar({ name: 'a' })),
      detail(tar({ name: 'Dockerfile', type: '5' })),
      detail(tar({ name: 'Dockerfile', content: 'FROM scratch\nRUN --mount=type=ssh true' })),
      detail(tar({ name: 'Dockerfile', content: '#'.repeat(mib + 1) })),
      detail(tar({ name: 'Dockerfile', content: 'FORM scratch' })),
    ])
    expect(refused).toEqual([
      'reserved_path_or_hostile_entry;path_escapes',
      'archive_truncated',
      'archive_format',
      'archive_truncated',
      'dockerfile_missing',
      'dockerfile_not_a_file',
      'mount_forbidden;line_2',
      'dockerfile_too_large;line_1',
      'unknown_instruction;line_1;did_you_mean_FROM',
    ])
  })

  it('is rewritten as the tar of a build sandbox, and fails if it is incomplete', async () => {
    const readers = testReaders(log)
    const archive = tar(dockerfile, { name: 'a/b', content: 'x'.repeat(300_000) })
    const written = await buffer(readers.contextTar(sourceOf(archive), 'tar'))
    const paths = (await listArchive(written, 'tar')).map(({ path }) => path)
    expect(paths).toEqual(['Dockerfile', 'complete', 'context', 'context/Dockerfile', 'context/a/b'])
    await expect(buffer(readers.contextTar(sourceOf(archive.subarray(0, -1024)), 'tar'))).rejects.toThrow(
      'archive_truncated',
    )
  })

  it('passes an error of the storage on unchanged', async () => {
    const source: ArchiveSource = {
      byteSize: 5000,
      open: () => Promise.reject(new Error('storage is away')),
    }
    await expect(testReaders(log).inspectContext(source, 'zip')).rejects.toThrow('storage is away')
    const short: ArchiveSource = { byteSize: 5000, open: () => Readable.from([Buffer.alloc(100)]) }
    await expect(testReaders(log).inspectContext(short, 'tar')).rejects.toThrow('shorter than its size')
  })

  it('is abandoned at once when the build is cancelled', async () => {
    const cancelled = AbortSignal.timeout(300)
    await expect(testReaders(log).inspectContext(stalling, 'tar', cancelled)).rejects.toBe(
      await new Promise((resolve) => cancelled.addEventListener('abort', () => resolve(cancelled.reason))),
    )
  })
})

describe('a reader that dies', () => {
  it('of its memory limit has the archive refused after a retry, and is counted', async () => {
    const readers = testReaders(log, { ...contextLimits, memoryBytes: 70 * mib })
    const archive = largeZip({ fileBytes: 1, files: 0, smallFiles: 60_000 })
    await expect(readers.inspectContext(archive, 'zip')).rejects.toThrow('archive_reader_died')
    expect(readers.deaths.memory + readers.deaths.crash).toBe(2)
  })

  it('of its time limit has the archive refused at once', async () => {
    const readers = testReaders(log, { ...contextLimits, timeoutMs: 300 })
    await expect(readers.inspectContext(stalling, 'tar')).rejects.toThrow('archive_timeout')
    await expect(buffer(readers.contextTar(stalling, 'tar'))).rejects.toThrow(ReaderDied)
    expect(readers.deaths).toMatchObject({ memory: 0, crash: 0, time: 2 })
  })

  it.each([
    ['crash', 'SIGSEGV'],
    ['taken_away', 'SIGKILL'],
  ] as const)('of %s reports that', async (death, signal) => {
    const reader = new ReaderProcess(startTestReader, contextLimits)
    const job = { kind: 'context', format: 'tar', byteSize: 10_000, bounds: contextBounds } as const
    const opened = Promise.withResolvers<void>()
    const source: ArchiveSource = {
      ...stalling,
      open: () => {
        opened.resolve()
        return stalling.open()
      },
    }
    const asked = reader.runJob(job, source)
    await opened.promise
    process.kill(reader.pid ?? 0, signal)
    await expect(asked).rejects.toThrow(new ReaderDied(death))
  })

  it('leaves no process', async () => {
    const reader = new ReaderProcess(startTestReader, contextLimits)
    const readers = testReaders(log)
    await readers.inspectContext(sourceOf(tar(dockerfile)), 'tar')
    reader.kill()
    while (await reader.peakBytes()) await sleep(10)
    expect(await reader.peakBytes()).toBe(0)
  })
})

describe('memory', () => {
  const sizes = { fileBytes: 2 * mib, files: 40, smallFiles: 5000 }
  it.each([
    ['tar', largeTar],
    ['tar.gz', largeTarGz],
    ['zip', largeZip],
  ] as const)('stays below its limit with a large %s, while this process goes on', async (format, make) => {
    const source = make(sizes)
    const reader = new ReaderProcess(startTestReader, contextLimits)
    const job = { kind: 'context', format, byteSize: source.byteSize, bounds: contextBounds } as const
    let turns = 0
    const turning = setInterval(() => {
      turns += 1
    }, 5)
    expect((await reader.runJob(job, source)).kind).toBe('context')
    clearInterval(turning)
    const peakBytes = await reader.peakBytes()
    reader.kill()
    console.log(
      `${format}, ${Math.round(source.byteSize / mib)} MiB: peak ${Math.round(peakBytes / mib)} MiB`,
    )
    expect(peakBytes).toBeGreaterThan(0)
    expect(peakBytes).toBeLessThan(contextLimits.memoryBytes)
    expect(turns).toBeGreaterThan(10)
  })
})

describe('an image that is verified while it streams', () => {
  const image = tar({ name: 'bin', type: '5' }, { name: 'bin/a', content: 'x'.repeat(200_000) })
  const pass = async (bytes: Buffer) => {
    const proof = new ImageVerifier(testReaders(log).readImage())
    const parts: Buffer[] = []
    await pipeline(Readable.from(chunksOf(bytes, 65_536)), proof, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) parts.push(chunk)
    })
    return { report: proof.report, passed: Buffer.concat(parts) }
  }

  it('comes out unchanged, with its digest and counts', async () => {
    const { report, passed } = await pass(image)
    expect(passed.equals(image)).toBe(true)
    expect(report).toMatchObject({
      digest: `sha256:${createHash('sha256').update(image).digest('hex')}`,
      unpackedBytes: 200_000,
      entries: 2,
    })
  })

  it('fails when it is refused, also if more bytes follow', async () => {
    const bad = tar({ name: 'x', type: '3' }, { name: 'big', content: Buffer.alloc(20 * mib) })
    await expect(pass(bad)).rejects.toThrow('device_entry')
    await expect(pass(image.subarray(0, 3000))).rejects.toThrow('archive_truncated')
  })

  it('fails with its source', async () => {
    const broken = Readable.from(
      (async function* () {
        yield image.subarray(0, 1024)
        throw new Error('the agent is gone')
      })(),
    )
    const proof = new ImageVerifier(testReaders(log).readImage())
    await expect(pipeline(broken, proof, async (chunks) => buffer(chunks))).rejects.toThrow(
      'the agent is gone',
    )
  })
})
