import { gzipSync } from 'node:zlib'
import { withCopyChecks } from '../../reader/dockerfile/copy-checks.ts'
import { checkDockerfile, type Dockerfile } from '../../reader/dockerfile/dockerfile.ts'
import { dockerfileText } from '../../reader/dockerfile/remaining-build.ts'
import { tar } from '../../reader/formats/archive-fixtures.ts'
import type { BenchRun, BuilderBench } from './builder-bench.ts'

export const copyBase = 'curated/python:3.11'
const folders = new Set([
  ...['', 'rootfs', 'rootfs/bin', 'rootfs/etc', 'rootfs/etc/app'],
  ...['files', 'deep', 'deep/a', 'deep/a/b'],
])

export const withChecks = (text: string): Dockerfile =>
  withCopyChecks(checkDockerfile(Buffer.from(text)), { folders })

/** The Dockerfile of these lines above the base image, with what the gate adds to its copies. */
export const checkedCopies = (...lines: string[]): Dockerfile =>
  withChecks([`FROM ${copyBase}`, ...lines].join('\n'))

/** Builds these lines above the base image, with a context of folders, files and archives to copy. */
export async function buildCopies(bench: BuilderBench, ...lines: string[]): Promise<BenchRun> {
  return await bench.build(
    [
      [{ name: 'Dockerfile' }, dockerfileText(checkedCopies(...lines))],
      [{ name: 'context/rootfs/bin/foo.sh', mode: 0o755 }, '#!/bin/sh\necho foo\n'],
      [{ name: 'context/rootfs/etc/app/c' }, 'c\n'],
      [{ name: 'context/files/passwd' }, 'p\n'],
      [{ name: 'context/files/cron.d' }, 'not a folder\n'],
      [{ name: 'context/deep/a/b/c' }, 'c\n'],
      [{ name: 'context/folder.tar.gz' }, gzipSync(tar({ name: 'bin/', type: '5' }, { name: 'bin/tool' }))],
      [{ name: 'context/file.tar.gz' }, gzipSync(tar({ name: 'bin/tool' }))],
    ],
    [copyBase],
  )
}

/** Expects that the last of the lines is refused for what is at that place in the image. */
export async function refusedPlace(bench: BuilderBench, lines: readonly string[]): Promise<string> {
  const { exit, log } = await buildCopies(bench, ...lines)
  const [, place] = /cannot copy to non-directory: (.*) in the image/.exec(log) ?? []
  return exit.exitCode === 1 && place !== undefined && log.includes(`Dockerfile:${lines.length + 1}: `)
    ? place
    : log
}
