import { type CliError, describeFailure } from '../failure.ts'
import type { Reporter } from '../output/reporter.ts'

export type Render<T> = (value: T) => { text: string; document: unknown }

/** Shows the result of work without the API; a failure sets its exit code. */
export async function onThisMachine<T, Refusal extends { ok: false }>(
  report: Reporter,
  work: () => Promise<{ ok: true; value: T } | Refusal>,
  { render, explain }: { render: Render<T>; explain: (refusal: Refusal) => CliError },
): Promise<void> {
  try {
    const outcome = await work()
    if (!outcome.ok) throw explain(outcome)
    const { text, document } = render(outcome.value)
    report.result(text, document)
  } catch (error) {
    const failure = describeFailure(error, 'this machine')
    report.failure(failure)
    process.exitCode = failure.exitCode
  }
}
