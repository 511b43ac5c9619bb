import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filterProgram } from '../../agent/bundle/filter-program.ts'
import { seccompProfile } from '../../agent/bundle/seccomp.ts'
import { builtFolder } from '../../server/native-programs/manifest.ts'

/** Of both programs of a pod. */
export const podUser = 1000

/** Kills process 1 of a container: with another user it has lost the tie to its parent. */
export function killBelow({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ')
  for (const child of children.filter(Boolean)) process.kill(Number(child), 'SIGKILL')
}

/** The files of both containers: the programs as they are built, and folders where volumes are. */
export function makePodRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'pod-root-'))
  chmodSync(root, 0o755)
  for (const path of ['.sandbox', 'workspace', 'record', 'token', 'proc', 'dev', 'tmp'])
    mkdirSync(join(root, path))
  for (const path of ['workspace', 'record', 'tmp']) chownSync(join(root, path), podUser, podUser)
  cpSync('/bin/busybox', join(root, '.sandbox/busybox'))
  for (const [name, built] of [
    ['init', 'pod-init'],
    ['collector', 'collector'],
  ] as const)
    cpSync(join(builtFolder, built), join(root, '.sandbox', name))
  const profile = seccompProfile({ confinement: 'job', arch: 'x64', runtime: 'crun' })
  writeFileSync(join(root, '.sandbox/filter'), filterProgram(profile))
  return root
}
