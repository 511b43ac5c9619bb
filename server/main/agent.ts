import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startAgent } from '../../agent/core/agent.ts'
import { agentPaths } from '../../agent/host/paths.ts'
import { ExecutorRefused } from '../../agent/port/errors.ts'
import { systemClock } from '../base/clock.ts'
import { type Config, ConfigInvalid, readConfig } from '../base/config/config.ts'
import { callbackAddress } from '../base/config/service-settings.ts'
import { followLogLevel } from '../base/log-level.ts'
import { createLog } from '../base/logging.ts'
import { accountOf } from '../postgres/account.ts'
import { lockInstance } from './supervisor/host/instance-lock.ts'
import { tidyAfterStart } from './supervisor/host/tidy-after-start.ts'
import { progressMessage, readyMessage } from './supervisor/processes/ready-message.ts'
import { exitCodes, ServiceProblem } from './supervisor/service-problem.ts'

/*
 * The host agent's process. `--cgroup` and `--slots` let several agents share a machine, each with its own data
 * folder and control group.
 */
const { values } = parseArgs({
  options: { cgroup: { type: 'string', default: 'sandbox-jobs' }, slots: { type: 'string' } },
})

const config = configOrExit()
const log = createLog('agent', config.logLevel)
followLogLevel(log, config.dataDir)

try {
  await main()
} catch (error) {
  const expected = error instanceof ServiceProblem || error instanceof ExecutorRefused
  log.fatal(expected ? {} : { err: error }, error instanceof Error ? error.message : String(error))
  process.exit(
    error instanceof ServiceProblem ? error.exitCode : expected ? exitCodes.toolMissing : exitCodes.failed,
  )
}

async function main(): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new ServiceProblem(exitCodes.toolMissing, 'the host agent makes sandboxes, which only root can')
  }
  const paths = agentPaths(config.dataDir)
  await mkdir(paths.root, { recursive: true, mode: 0o700 })
  const lock = await lockInstance(paths.lock, config.agentSocket)
  const ownRegistry = config.registry === 'none' ? undefined : config.registry
  const agent = await startAgent({
    dataDir: config.dataDir,
    socketPath: config.agentSocket,
    gid: accountOf(config.workerUser)?.gid ?? 0,
    cgroupParent: values.cgroup,
    slots: slotsOf(values.slots) ?? slotsFor(config),
    memoryBytes: config.sandboxMemoryMib * 2 ** 20,
    runtimes: config.runtimes,
    warm: config.warmSandboxes,
    diskFloorBytes: config.diskFloorBytes,
    egress: config.runtimeEgress,
    pulls: config.publicRegistries || ownRegistry !== undefined,
    builds: config.buildNetwork !== 'none',
    registry: ownRegistry?.split('/')[0],
    service: { address: callbackAddress, port: config.callbackPort },
    clock: systemClock,
    onError: (error) => log.error({ err: error }, 'a request failed'),
    onProgress: (done, total) => log.info({ done, total }, progressMessage),
  })
  log.info({ socket: config.agentSocket, data: paths.root }, readyMessage)
  tidyAfterStart()
  const stop = () => {
    // Sandboxes keep running without the agent: their shims hold them, and the next agent adopts them.
    void agent
      .stop()
      .then(() => lock.release())
      .then(() => process.exit(exitCodes.stopped))
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

/** Slots for everything the worker runs at once: runs, and per build its sandbox and one that installs its image. */
function slotsFor({ runSlots, buildSlots }: Config): number {
  return runSlots + 2 * buildSlots
}

function slotsOf(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,3}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new ServiceProblem(exitCodes.configuration, '--slots must be a whole number from 1 to 9999')
}

function configOrExit(): Config {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    process.stderr.write(`agent: ${error.message}\n`)
    process.exit(exitCodes.configuration)
  }
}
