import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { driverOf } from '../../contract/resources/runtime-contract.ts'
import { agentPaths } from '../../server/executor/oci/paths.ts'
import type { SandboxSpec } from '../../server/executor/port.ts'
import { bootInput } from '../../server/runs/boot-program.ts'
import { runSandbox } from '../../server/runs/run-sandbox.ts'
import { noOp } from './bench-job.ts'

/** What the executor is given for a run of a benchmark's job, made by the service's own code. */
export interface JobSandbox {
  spec: SandboxSpec
  stdin: Buffer
  /** Trees on disk, owned from the base of the storage range. */
  imageTree: string
  platformLayer: string
}

/** Reads from the data folder of a service that has run the job and nothing else. */
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
    }),
    stdin: bootInput({
      imageEnv: [],
      env: {},
      secrets: {},
      startupScript: noOp,
      workScript,
      driver: driverOf(null),
      input: Buffer.from('{}'),
    }),
    imageTree: join(paths.images, image, 'tree'),
    platformLayer: join(paths.platform, await onlyFolder(paths.platform)),
  }
}

async function onlyFolder(parent: string): Promise<string> {
  const [name, ...others] = await readdir(parent)
  if (name === undefined || others.length > 0) throw new Error(`${parent} does not hold one folder`)
  return name
}
