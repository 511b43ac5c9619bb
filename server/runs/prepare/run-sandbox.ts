import {
  artifactFilesMax,
  artifactPathComponentMaxBytes,
  artifactPathMaxBytes,
  logMaxBytes,
  outputMaxBytes,
} from '@sandbox-jobs/contract/limits.ts'
import { profileOf } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { outputFile, unpackingFile } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import { runtimeOf, type SandboxNetwork, type SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { bundleMaxBytes, outputName, unpackingName } from '../model/result-layout.ts'
import { bootArgv } from './boot-program.ts'

const mib = 1024 * 1024

const workspaceInodes = 65_536
const openFiles = 4096
const pidsPerVcpu = 256

export interface RunSandbox {
  sandboxId: string
  claimedAt: Date
  layerDigest: string
  resourceProfile: string
  /** `USER` of the image's configuration. */
  imageUser: string
  isolation: Isolation
  timeoutSeconds: number
  /** How long its processes may go on after they were asked to end. Absent or 0: they are killed at once. */
  stopGraceMs?: number | undefined
  network: SandboxNetwork
  /** The executor's number of the company. */
  owner: number
  /** The folder of its artifacts (`artifacts-folder.ts`). */
  artifactsDir: string
  /** Another folder to collect. */
  folder?: SandboxSpec['collect']['folder'] | undefined
}

/** The sandbox specification of a run. It contains no tenant data except the allow list, since the executor stores it on disk. */
export function runSandbox(run: RunSandbox): SandboxSpec {
  const profile = profileOf(run.resourceProfile)
  return {
    id: run.sandboxId,
    claimedAt: run.claimedAt.toISOString(),
    rootfs: { kind: 'image', digest: run.layerDigest },
    argv: [...bootArgv],
    env: {},
    user: userOf(run.imageUser),
    hostname: 'job',
    runtime: runtimeOf[run.isolation],
    confinement: 'job',
    network: run.network,
    owner: run.owner,
    limits: {
      timeoutMs: run.timeoutSeconds * 1000,
      ...(run.stopGraceMs && { graceMs: run.stopGraceMs }),
      memoryBytes: profile.provider_memory_mib * mib,
      shownMemoryBytes: profile.customer_memory_mib * mib,
      workspaceBytes: profile.workspace_mib * mib,
      workspaceKind: 'memory',
      workspaceInodes,
      vcpu: profile.vcpu,
      pids: pidsPerVcpu * profile.vcpu,
      openFiles,
      logBytes: logMaxBytes,
    },
    collect: {
      files: [
        { name: outputName, path: outputFile, maxBytes: outputMaxBytes },
        ...(run.folder ? [{ name: unpackingName, path: unpackingFile, maxBytes: 0 }] : []),
      ],
      tree: {
        path: run.artifactsDir,
        maxFiles: artifactFilesMax,
        maxBytes: bundleMaxBytes(),
        maxPathBytes: artifactPathMaxBytes,
        maxNameBytes: artifactPathComponentMaxBytes,
      },
      ...(run.folder && { folder: run.folder }),
    },
  }
}

const numericUser = /^(\d{1,5})(?::(\d{1,5}))?$/
const idsInSandbox = 65_536

/** User names were resolved to numbers when the image was built. Anything else runs as the sandbox's root. */
function userOf(text: string): { uid: number; gid: number } {
  const [, uid, gid] = numericUser.exec(text) ?? []
  const user = { uid: Number(uid ?? 0), gid: Number(gid ?? 0) }
  return user.uid < idsInSandbox && user.gid < idsInSandbox ? user : { uid: 0, gid: 0 }
}
