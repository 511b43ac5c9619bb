import { runFailures } from '@sandbox-jobs/contract/resources/runs/run-failure.ts'
import { noOutput, type RunRemark } from '@sandbox-jobs/contract/resources/runs/run-remark.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Reporter } from '../output/reporter.ts'
import { bytesText, durationText } from '../output/sizes.ts'
import { showBytes } from '../runs/download.ts'
import { exitCodeOfRun } from '../runs/exit-code-of-run.ts'
import { notAllSaved } from '../runs/unsaved-artifacts.ts'
import type { Engine } from './engines/engine.ts'
import type { LocalTask } from './local-task.ts'
import { keptOf, type LocalEnd } from './run-local.ts'

/** Things that a run on the service has and this one lacks, as sentences. */
export function differences(
  engine: Engine,
  { missingSecrets, inputSchema }: LocalTask,
  network: boolean,
): string[] {
  return [
    `This is no isolation: ${engine.name} shares this machine with the program. Run only programs that you trust.`,
    ...(network
      ? ['The network is that of this machine: private addresses are reachable, and no allow list holds.']
      : []),
    ...(engine.notLimited.length === 0 ? [] : [`Not limited: ${engine.notLimited.join(', ')}.`]),
    ...(inputSchema === null ? [] : ['The input is not compared with the input schema.']),
    ...(missingSecrets.length === 0
      ? []
      : [
          `No value for ${missingSecrets.join(', ')}: set the variable in your environment to give the job one.`,
        ]),
  ]
}

/** The end of a run: what there is to remark and its artifacts, then its output alone on standard output. */
export async function showLocalRun(
  report: Reporter,
  end: LocalEnd,
  context: { engine: string; differences: string[]; out: string | undefined },
): Promise<void> {
  const remarks = remarksOf(end)
  for (const { message } of remarks) report.progress(escapeControls(message))
  const items = keptOf(end.artifacts)
  for (const { relative_path, byte_size } of items) {
    report.progress(`artifact ${escapeControls(relative_path)} (${bytesText(byte_size)})`)
  }
  if (items.length > 0) {
    report.progress(
      context.out === undefined ? '--out DIR saves them.' : `saved in ${escapeControls(context.out)}`,
    )
  }
  report.progress(`run ${end.status} after ${durationText(end.duration_ms)}`)
  process.exitCode = exitCodeOfRun(end)
  const output = end.output.kind === 'present' ? end.output.bytes : undefined
  if (report.json) {
    const { status, error_code, exit_code, duration_ms } = end
    const ended = { status, error_code, exit_code, duration_ms }
    const text = output?.toString('utf8') ?? null
    report.result('', {
      engine: context.engine,
      ...ended,
      output: text,
      artifacts: items,
      remarks,
      differences: context.differences,
    })
  } else if (output) await showBytes(new Blob([output]).stream(), report.lineLeftOpen)
  if (end.status !== 'completed') report.failure(failureOf(end))
  if (end.unsaved.length > 0) throw notAllSaved(end.unsaved, items.length - end.unsaved.length)
}

function remarksOf({ status, output, artifacts }: LocalEnd): RunRemark[] {
  const remarks: RunRemark[] = []
  if (status === 'completed') {
    if (output.kind === 'absent') remarks.push(noOutput('absent'))
    if (output.kind === 'present' && output.bytes.length === 0) remarks.push(noOutput('empty'))
  }
  if (artifacts.kind === 'refused') {
    const { rule, path, reason } = artifacts
    const message = `No artifact would be kept: "${path}" ${reason} (${rule}).`
    remarks.push({ code: 'artifacts_refused', rule, path, message })
  }
  return remarks
}

function failureOf(end: LocalEnd) {
  const { error_code: code, status, exit_code } = end
  const hint = code === '' || code === 'cancelled' ? 'It was cancelled here.' : runFailures[code].hint
  return {
    code,
    message: `The run ended as ${status}${exit_code === null ? '' : `, exit code ${exit_code}`}`,
    hint,
    exitCode: exitCodeOfRun(end),
  }
}
