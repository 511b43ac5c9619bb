import { newId } from '../../server/base/ids.ts'
import { busybox } from '../../server/executor/oci/test-agent.ts'
import type { SandboxSpec } from '../../server/executor/port.ts'
import { runSandbox } from '../../server/runs/run-sandbox.ts'

/** The sandbox of a run on an image of a test agent, with a script of the shell in place of the run's programs. */
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
    timeoutSeconds: 120,
  })
  return { ...spec, argv: [busybox, 'sh', '-c', script] }
}
