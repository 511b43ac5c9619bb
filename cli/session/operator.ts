import type { OperatorProblem } from '@sandbox-jobs/server/main/operator/as-root.ts'
import { CliError, exitCodes } from '../failure.ts'
import { createReporter, type Reporter } from '../output/reporter.ts'
import { durationText } from '../output/sizes.ts'
import { onThisMachine, type Render } from './on-this-machine.ts'

type Work<T> = () => Promise<{ ok: true; value: T } | OperatorProblem>

const stillBusyMs = 15_000

/** Runs an operator's work that needs root, reports that it is still running, and shows the result. */
export async function withOperator<T>(
  options: { json?: boolean },
  doing: string | undefined,
  work: Work<T>,
  render: Render<T>,
): Promise<void> {
  const report = createReporter(options.json === true)
  const stopSaying = sayWhileBusy(report, doing)
  try {
    await onThisMachine(report, work, { render, explain: problemError })
  } finally {
    stopSaying()
  }
}

function sayWhileBusy(report: Reporter, doing: string | undefined): () => void {
  if (doing === undefined) return () => undefined
  const startedAt = performance.now()
  const timer = setInterval(
    () => report.progress(`${doing}, ${durationText(performance.now() - startedAt)} so far`),
    stillBusyMs,
  )
  return () => clearInterval(timer)
}

const hints: Record<OperatorProblem['cause'], string> = {
  not_root: 'Run it with sudo, on the machine of the service.',
  settings: 'Correct the settings; docs/operations.md lists them.',
  request: 'See the example in the help of the command.',
  tool: 'sandbox doctor lists what is missing here; a package that Debian does not have cannot be installed.',
}

const problemError = ({ cause, message }: OperatorProblem) =>
  new CliError(message, {
    hint: hints[cause],
    code: `cli_operator_${cause}`,
    exitCode: cause === 'tool' ? exitCodes.failed : exitCodes.usage,
  })
