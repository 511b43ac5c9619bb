import type { ServiceRefusal } from '@sandbox-jobs/server/main/operator/local-service.ts'
import { CliError, exitCodes } from '../failure.ts'
import { createReporter } from '../output/reporter.ts'
import { onThisMachine, type Render } from './on-this-machine.ts'

type Work<T> = () => Promise<{ ok: true; value: T } | ServiceRefusal>

/** Works directly on the service of this machine, without its API, and shows the result. */
export async function withLocalService<T>(
  options: { json?: boolean },
  work: Work<T>,
  render: Render<T>,
): Promise<void> {
  await onThisMachine(createReporter(options.json === true), work, { render, explain: explainRefusal })
}

export const settingsHint = 'Correct the settings; docs/operations/settings.md lists them.'

export const refusalHints: Record<ServiceRefusal['cause'], string> = {
  settings: settingsHint,
  service: 'Run it on the machine of the service, as root or as the account that the service runs as.',
}

/** Explains refused work by the hint for its cause. Only the service itself makes it a failure, everything else is wrong usage. */
export const explainBy =
  <Cause extends string>(hints: Record<Cause, string>) =>
  ({ cause, problems }: { cause: Cause; problems: string[] }): CliError =>
    new CliError(problems.join('\n'), {
      hint: hints[cause],
      code: `cli_operator_${cause}`,
      exitCode: cause === 'service' ? exitCodes.failed : exitCodes.usage,
    })

export const explainRefusal = explainBy(refusalHints)
