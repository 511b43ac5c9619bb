import { readFile } from 'node:fs/promises'
import { filterProgram } from '../../../agent/bundle/filter-program.ts'
import { seccompProfile } from '../../../agent/bundle/seccomp.ts'
import type { ArchiveEntry } from '../../../reader/formats/archive.ts'
import { textFile } from '../../../reader/formats/tar/canonical-tar.ts'
import { closedFolder, folder, layerOf, type MadeLayer, mountPoints, program } from './layer-entries.ts'

/** gVisor's own kernel gets the same list: process 1 adds it there as everywhere. */
const profile = seccompProfile({ confinement: 'job', arch: 'x64', runtime: 'crun' })

/** Paths of the programs. */
export interface RunnerPrograms {
  /** Static. */
  busybox: string
  init: string
}

/**
 * The layer above the image of every job in a pod: the static shell, process 1, its filter of system calls, and real folders at the
 * mount points. Nothing of the image's own `.sandbox` is left.
 */
export async function runnerLayer({ busybox, init }: RunnerPrograms): Promise<MadeLayer> {
  const programs = { busybox: await readFile(busybox), init: await readFile(init) }
  async function* entries(): AsyncGenerator<ArchiveEntry, void> {
    yield folder('.sandbox')
    yield textFile('.sandbox/.wh..wh..opq', '')
    yield closedFolder()
    yield program('.sandbox/busybox', programs.busybox)
    yield program('.sandbox/init', programs.init)
    yield textFile('.sandbox/filter', filterProgram(profile))
    yield* mountPoints
    for (const path of ['dev', 'etc', 'proc', 'sys']) yield folder(path)
  }
  return layerOf(entries())
}
