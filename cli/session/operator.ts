import type { OperatorProblem } from '@sandbox-jobs/server/main/operator/as-root.ts'
import { CliError, exitCodes } from '../failure.ts'
import { busyLine } from '../output/busy-line.ts'
import { createReporter } from '../output/reporter.ts'
import { settingsHint } from './local-service.ts'
import { onThisMachine, type Render } from './on-this-machine.ts'

/** `say` takes how far the work is. */
type Work<T> = (say: (detail: string) => void) => Promise<{ ok: true; value: T } | OperatorProblem>

/** Runs an operator's work that needs root, says that it is still running if it may take long, and shows the result. */
export async function withOperator<T>(
  options: { json?: boolean },
  doing: string | undefined,
  work: Work<T>,
  render: Render<T>,
): Promise<void> {
  const report = createReporter(options.json === true)
  const isSilent = doing === undefined || report.json
  const busy = isSilent ? undefined : busyLine({ doing, stream: process.stderr })
  const finished = async () => {
    try {
      return await work((detail) => busy?.say(detail))
    } finally {
      busy?.end()
    }
  }
  await onThisMachine(report, finished, { render, explain: problemError })
}

const hints: Record<OperatorProblem['cause'], string> = {
  not_root: 'Run it with sudo, on the machine of the service.',
  settings: settingsHint,
  request: 'See the example in the help of the command.',
  tool: 'sandbox doctor lists what is missing here; a package that Debian does not have cannot be installed.',
}

const problemError = ({ cause, message }: OperatorProblem) =>
  new CliError(message, {
    hint: hints[cause],
    code: `cli_operator_${cause}`,
    exitCode: cause === 'tool' ? exitCodes.failed : exitCodes.usage,
  })
