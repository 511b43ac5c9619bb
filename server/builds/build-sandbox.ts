import { type BuildProfile, buildProfiles } from '@sandbox-jobs/contract/resources/profile.ts'
import type { SandboxCollect, SandboxSpec } from '../executor/port.ts'
import { maxPulledBytes } from './bases/pull-sandbox.ts'
import { buildScript, maxStepsBytes, prefixScript } from './build-script.ts'

const gib = 1024 ** 3

interface BuildLimits {
  vcpu: number
  memoryBytes: number
  diskBytes: number
  timeoutMs: number
}

/** What a build may use, by build profile. */
export const buildLimits: Record<BuildProfile, BuildLimits> = {
  standard: { vcpu: 1, memoryBytes: 2 * gib, diskBytes: 8 * gib, timeoutMs: 15 * 60_000 },
  fast: { vcpu: 2, memoryBytes: 4 * gib, diskBytes: 8 * gib, timeoutMs: 15 * 60_000 },
  large: { vcpu: 4, memoryBytes: 8 * gib, diskBytes: 16 * gib, timeoutMs: 60 * 60_000 },
}

const mib = 1024 ** 2

/** What a build takes of the machine's memory, by build profile, in MiB. */
export const buildMemoryByProfile: readonly (readonly [profile: BuildProfile, mib: number])[] =
  buildProfiles.map((profile) => [profile, buildLimits[profile].memoryBytes / mib])

/** Bounds of what comes out of a build. */
export const maxImageBytes = 10 * gib
export const maxImageConfigBytes = 1024 ** 2
export const buildLogMaxBytes = 16 * 1024 ** 2

interface SandboxedBuild {
  id: string
  profile: BuildProfile
  /** Base images by the names of the Dockerfile. */
  bases: string[]
}

/** The sandbox of one build: buildah in a root filesystem of its own, in a user namespace, with no network. */
export const buildSandbox = (build: SandboxedBuild): SandboxSpec =>
  builderSandbox(build, buildScript, [
    { name: 'image', path: '/workspace/image.tar', maxBytes: maxImageBytes },
    { name: 'config', path: '/workspace/config.json', maxBytes: maxImageConfigBytes },
    { name: 'steps', path: '/workspace/steps', maxBytes: maxStepsBytes },
  ])

/** The same for a part of a build, whose layers are kept: the file `image`. */
export const prefixSandbox = (build: SandboxedBuild): SandboxSpec =>
  builderSandbox(build, prefixScript, [
    { name: 'image', path: '/workspace/image.tar', maxBytes: maxPulledBytes },
  ])

function builderSandbox(build: SandboxedBuild, script: string, files: SandboxCollect['files']): SandboxSpec {
  const limits = buildLimits[build.profile]
  return {
    id: build.id,
    rootfs: { kind: 'builder' },
    argv: ['/bin/sh', '-c', script, 'build', ...build.bases],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8' },
    user: { uid: 0, gid: 0 },
    hostname: 'build',
    runtime: 'crun',
    confinement: 'build',
    network: 'none',
    limits: {
      timeoutMs: limits.timeoutMs,
      memoryBytes: limits.memoryBytes,
      workspaceBytes: limits.diskBytes,
      workspaceKind: 'disk',
      workspaceInodes: 2_000_000,
      vcpu: limits.vcpu,
      pids: 2048,
      openFiles: 8192,
      logBytes: buildLogMaxBytes,
    },
    collect: { files },
  }
}
