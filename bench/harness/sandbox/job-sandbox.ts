import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { agentPaths } from '../../../agent/host/paths.ts'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { artifactsDir, driverOf } from '../../../contract/resources/environments/runtime-contract.ts'
import { bootInput } from '../../../server/runs/prepare/boot-program.ts'
import { runSandbox } from '../../../server/runs/prepare/run-sandbox.ts'
import { noOp } from './bench-job.ts'

/** The sandbox specification for a run of a benchmark's job, made by the service's own code. */
export interface JobSandbox {
  spec: SandboxSpec
  stdin: Buffer
  /** Trees on disk; their owners start at the base of the storage range. */
  imageTree: string
  platformLayer: string
}

/** Reads it from the data folder of a service that has run the job and no other. */
export async function jobSandbox(dataDir: string, workScript: string): Promise<JobSandbox> {
  const paths = agentPaths(dataDir)
  const image = await onlyFolder(paths.images)
  return {
    spec: runSandbox({
      sandboxId: 'bench',
      claimedAt: new Date(),
      layerDigest: `sha256:${image}`,
      resourceProfile: 'standard',
      imageUser: '',
      isolation: 'standard',
      timeoutSeconds: 60,
      network: 'none',
      owner: 1,
      artifactsDir,
    }),
    stdin: bootInput({
      imageEnv: [],
      env: {},
      secrets: {},
      identity: { runId: 'run_0', chatroomId: 'roo_0', taskId: 'tsk_0', taskVersionId: 'tvr_0' },
      startupScript: noOp,
      workScript,
      driver: driverOf(null),
      input: Buffer.from('{}'),
      claimedAt: new Date(),
    }),
    imageTree: join(paths.images, image, 'tree'),
    platformLayer: join(paths.platform, await onlyFolder(paths.platform)),
  }
}

async function onlyFolder(parent: string): Promise<string> {
  const [name, ...others] = await readdir(parent)
  if (name === undefined || others.length > 0) throw new Error(`${parent} does not have exactly one folder`)
  return name
}
