import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { artifactsDir } from '../../../contract/resources/environments/runtime-contract.ts'
import { newId } from '../../../server/base/ids.ts'
import { runSandbox } from '../../../server/runs/prepare/run-sandbox.ts'
import { busybox } from '../../../testing/agent/test-agent.ts'

/** The sandbox of a run on an image of a test agent, with a shell script instead of the run's programs. */
export function shellSandbox(image: string, script: string): SandboxSpec {
  const spec = runSandbox({
    sandboxId: newId('run'),
    claimedAt: new Date(),
    layerDigest: image,
    resourceProfile: 'standard',
    imageUser: '',
    isolation: 'standard',
    network: 'none',
    owner: 1,
    artifactsDir,
    timeoutSeconds: 120,
  })
  return { ...spec, argv: [busybox, 'sh', '-c', script] }
}
