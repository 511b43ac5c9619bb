import type { ServiceRefusal } from '@sandbox-jobs/server/main/local-service.ts'
import { CliError, describeFailure, exitCodes } from '../failure.ts'
import { createReporter } from '../output/reporter.ts'

type Work<T> = () => Promise<{ ok: true; value: T } | ServiceRefusal>
type Render<T> = (value: T) => { text: string; document: unknown }

/** Works on the service of this machine past its API, and shows how it ended. */
export async function withLocalService<T>(
  options: { json?: boolean },
  work: Work<T>,
  render: Render<T>,
): Promise<void> {
  const report = createReporter(options.json === true)
  try {
    const outcome = await work()
    if (!outcome.ok) throw refusal(outcome)
    const { text, document } = render(outcome.value)
    report.result(text, document)
  } catch (error) {
    const failure = describeFailure(error, 'this machine')
    report.failure(failure)
    process.exitCode = failure.exitCode
  }
}

const refusal = ({ cause, problems }: ServiceRefusal) =>
  new CliError(problems.join('\n'), {
    hint:
      cause === 'settings'
        ? 'Correct the settings; docs/operations.md lists them.'
        : 'Run it on the machine of the service, as root or as the account that the service runs as.',
    code: `cli_operator_${cause}`,
    exitCode: cause === 'settings' ? exitCodes.usage : exitCodes.failed,
  })
