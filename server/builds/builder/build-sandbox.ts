import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { maxImageConfigBytes, maxPulledBytes } from '../../archives/images/image-manifest.ts'
import type { SandboxCollect, SandboxNetwork, SandboxSpec } from '../../executor/port/sandbox-spec.ts'
import { buildLimits, buildLogMaxBytes } from '../admission/build-limits.ts'
import { buildScript, cachedStageScript, maxStepsBytes } from './build-script.ts'

const gib = 1024 ** 3

export const maxImageBytes = 10 * gib

interface SandboxedBuild {
  id: string
  profile: BuildProfile
  /** Base images, as named in the Dockerfile. */
  bases: string[]
  /** Of the steps; the builder itself pulls nothing. */
  network: SandboxNetwork
}

/** The sandbox of one build: buildah in its own root filesystem and user namespace. */
export const buildSandbox = (build: SandboxedBuild): SandboxSpec =>
  builderSandbox(build, buildScript, [
    { name: 'image', path: '/workspace/image.tar', maxBytes: maxImageBytes },
    { name: 'config', path: '/workspace/config.json', maxBytes: maxImageConfigBytes },
    { name: 'steps', path: '/workspace/steps', maxBytes: maxStepsBytes },
  ])

/** The sandbox for a part of a build; the file `image` has its layers. */
export const cachedStageSandbox = (build: SandboxedBuild): SandboxSpec =>
  builderSandbox(build, cachedStageScript, [
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
    network: build.network,
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
