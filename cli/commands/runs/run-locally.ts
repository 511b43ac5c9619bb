import canonicalize from 'canonicalize'
import { CliError, describeFailure, exitCodes } from '../../failure.ts'
import { chooseEngine, type EngineName } from '../../local/engines/choose-engine.ts'
import { readLocalTask } from '../../local/local-task.ts'
import { logWriter } from '../../local/log-writer.ts'
import { type LocalRun, runLocal } from '../../local/run-local.ts'
import { differences, showLocalRun } from '../../local/show-local-run.ts'
import { createReporter, type Reporter } from '../../output/reporter.ts'
import { readInput } from '../../runs/read-input.ts'
import { setFields } from '../../runs/set-fields.ts'
import { localFiles } from '../../runs/upload-files.ts'

export interface LocalOptions {
  input?: string
  set?: string[]
  file?: string[]
  timeout?: number
  image?: string
  rootfs?: string
  engine?: EngineName
  out?: string
  force?: boolean
  network: boolean
  json?: boolean
}

/** Runs the task of a folder or task file without a service, as a try before it is deployed. */
export async function runLocally(given: string, options: LocalOptions): Promise<void> {
  const report = createReporter(options.json === true)
  try {
    await run(report, given, options)
  } catch (error) {
    const failure = describeFailure(error, 'this machine')
    // The reader of the exit code must be able to distinguish the job's from that of this command.
    if (failure.exitCode === exitCodes.failed) failure.exitCode = exitCodes.serviceFailed
    report.failure(failure)
    process.exitCode = failure.exitCode
  }
}

async function run(report: Reporter, given: string, options: LocalOptions): Promise<void> {
  const { set = [], file = [], out, force = false, network } = options
  const task = await readLocalTask(given, options)
  const [input, files] = await Promise.all([
    readInput(options.input ?? task.inputExample ?? '{}'),
    localFiles(file),
  ])
  const interrupts = cancelOnInterrupt(report)
  const engine = await chooseEngine(task.source, options.engine)
  const missing = differences(engine, task, network)
  for (const line of missing) report.progress(line)
  const log = logWriter(report)
  const end = await runLocal({
    task,
    engine,
    input: canonicalText(setFields(input, set, task.inputSchema).value),
    files,
    timeoutSeconds: options.timeout ?? task.timeoutSeconds,
    network,
    ...(out !== undefined && { out: { folder: out, replace: force } }),
    onLog: log.write,
    ...interrupts,
  })
  log.end()
  await showLocalRun(report, end, { engine: engine.name, differences: missing, out })
}

/** A run on the service gets its input in this form (RFC 8785), without the spaces of its author. */
function canonicalText(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('the input is no JSON value')
  return text
}

/** The first Ctrl-C cancels the run, the second quits without waiting. */
function cancelOnInterrupt(report: Reporter): Pick<LocalRun, 'signal' | 'onStart'> {
  const cancelling = new AbortController()
  let abandon = () => {}
  process.once('SIGINT', () => {
    process.once('SIGINT', () => {
      abandon()
      process.exit(exitCodes.interrupted)
    })
    report.progress('\nCancelling the run; Ctrl-C again quits without waiting for it.')
    cancelling.abort(cancelled)
  })
  const onStart = (how: () => void) => {
    abandon = how
  }
  return { signal: cancelling.signal, onStart }
}

const cancelled = new CliError('The run was cancelled before its program started.', {
  hint: 'Nothing was run.',
  code: 'cancelled',
  exitCode: exitCodes.interrupted,
})
