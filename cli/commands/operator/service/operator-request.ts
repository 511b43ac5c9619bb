import { type Trace, traceId } from '@sandbox-jobs/server/main/operator/watch/operator-request.ts'
import { Command } from 'commander'
import { exitCodes } from '../../../failure.ts'
import { escapeControls } from '../../../output/escape-controls.ts'
import { createReporter } from '../../../output/reporter.ts'
import { explainBy, refusalHints } from '../../../session/local-service.ts'
import { onThisMachine } from '../../../session/on-this-machine.ts'

export const operatorRequestCommand = (): Command =>
  new Command('request')
    .description('show what happened to a request, a run or a build, from all logs and the database')
    .argument('<id>', 'id of the request (X-Request-Id), of the run or of the build attempt')
    .option('--json', 'print one JSON document')
    .action(async (id: string, options: { json?: boolean }) => {
      await onThisMachine(createReporter(options.json === true), () => traceId(id), {
        render: (trace) => {
          if (trace.entries.length === 0) process.exitCode = exitCodes.failed
          return { text: textOf(trace), document: documentOf(trace) }
        },
        explain: explainBy({
          ...refusalHints,
          request: 'An answer has its id in X-Request-Id; sandbox runs and sandbox build show the others.',
        }),
      })
    })

function textOf({ entries, remarks }: Trace): string {
  const lines = entries.map(({ at, source, text, fields }) =>
    [
      at?.toISOString() ?? '-'.padEnd(24),
      source.padEnd(10),
      text,
      ...Object.entries(fields).map(([name, value]) => `${name}=${value}`),
    ].join(' '),
  )
  const none = entries.length === 0 ? ['Neither a log nor the database has it.'] : []
  return [...lines, ...none, ...remarks].map((line) => `${escapeControls(line)}\n`).join('')
}

const documentOf = ({ entries, remarks }: Trace) => ({
  items: entries.map(({ at, ...entry }) => ({ at: at?.toISOString() ?? null, ...entry })),
  remarks,
})
