import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import {
  runtimeOf,
  type SandboxCollect,
  type SandboxNetwork,
  type SandboxSpec,
} from '../../../agent/port/sandbox-spec.ts'
import { maxImageConfigBytes, maxPulledBytes } from '../../../reader/images/image-manifest.ts'
import { sha256Of } from '../../base/sha256.ts'
import { hexOf } from '../../images/image-documents.ts'
import { buildLimits, buildLogMaxBytes } from '../attempts/build-limits.ts'
import { baseLayerScript, buildScript, cachedStageScript, maxStepsBytes } from './build-script.ts'

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

/**
 * The sandbox of one build: buildah in its own root filesystem and user namespace. `layerBase` is the base image whose layer the
 * company has: if the image is built on it, the file `image` has only what lies above, and there is a file
 * `layered`.
 */
export const buildSandbox = ({
  layerBase,
  ...build
}: SandboxedBuild & { layerBase?: string | undefined }): SandboxSpec =>
  builderSandbox(
    build,
    buildScript,
    [
      { name: 'image', path: '/workspace/image.tar', maxBytes: maxImageBytes },
      { name: 'layered', path: '/workspace/layered', maxBytes: 64 },
      { name: 'config', path: '/workspace/config.json', maxBytes: maxImageConfigBytes },
      { name: 'steps', path: '/workspace/steps', maxBytes: maxStepsBytes },
    ],
    layerBase === undefined ? {} : { LAYER_BASE: layerBase },
  )

/** The sandbox for a part of a build; the file `image` has its layers. */
export const cachedStageSandbox = (build: SandboxedBuild): SandboxSpec =>
  builderSandbox(build, cachedStageScript, [
    { name: 'image', path: '/workspace/image.tar', maxBytes: maxPulledBytes },
  ])

/**
 * The sandbox that exports the base image in `bases` as one layer of a company; nothing of a tenant runs in it. A host has one
 * tree per digest: if two companies had the same layer, each could find out by the time of a build whether the other has it.
 */
export const baseLayerSandbox = ({
  companyId,
  ...build
}: SandboxedBuild & { companyId: string }): SandboxSpec =>
  builderSandbox(
    build,
    baseLayerScript,
    [{ name: 'image', path: '/workspace/image.tar', maxBytes: maxImageBytes }],
    { LAYER_MARK: String(Number.parseInt(hexOf(sha256Of(companyId)).slice(0, 8), 16)) },
  )

function builderSandbox(
  build: SandboxedBuild,
  script: string,
  files: SandboxCollect['files'],
  env: Record<string, string> = {},
): SandboxSpec {
  const limits = buildLimits[build.profile]
  return {
    id: build.id,
    rootfs: { kind: 'builder' },
    argv: ['/bin/sh', '-c', script, 'build', ...build.bases],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8', ...env },
    user: { uid: 0, gid: 0 },
    hostname: 'build',
    runtime: runtimeOf.standard,
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
