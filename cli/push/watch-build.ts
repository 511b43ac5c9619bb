import { setTimeout as sleep } from 'node:timers/promises'
import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import type { FailedInstruction } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import { followLog } from '../logs/follow-log.ts'
import { logOfBuild } from '../logs/followed-logs.ts'
import { escapeLines } from '../output/escape-controls.ts'
import { instructionText } from '../output/instruction-text.ts'
import { paint } from '../output/paint.ts'
import { barOf } from '../output/progress-bar.ts'
import { durationText } from '../output/sizes.ts'
import { readWithRetry } from '../session/read-with-retry.ts'
import type { Session } from '../session/session.ts'
import type { BuildReference } from './build-reference.ts'

const pollMs = 500

/**
 * Polls a build until it has ended and shows each stage with its duration, with `follow` also its log. Throws the
 * build's own code and next action if it did not complete.
 */
export async function watchBuild(
  session: Session,
  reference: BuildReference,
  { follow = false }: { follow?: boolean | undefined } = {},
): Promise<BuildAttempt> {
  const log = { ...logOfBuild(session, reference), out: process.stderr, isPart: true }
  const followed = follow ? followLog(session, log) : undefined
  const [attempt] = await Promise.all([
    untilEnded(session, reference, stageView(session, { isAlone: !follow })),
    followed,
  ])
  if (attempt.terminal_class === 'completed') return attempt
  if (!follow) await showLogTail(session, reference)
  throw failureOf(attempt, await failedInstruction(session, reference))
}

async function untilEnded(
  { client, report }: Session,
  reference: BuildReference,
  view: (attempt: BuildAttempt) => void,
): Promise<BuildAttempt> {
  for (;;) {
    const attempt = await readWithRetry(
      () => client.call(allRoutes.readBuild, { params: reference }),
      () => report.progress('The service does not answer; waiting for it. The build continues.'),
    )
    view(attempt)
    if (attempt.terminal_class !== '') return attempt
    await sleep(pollMs)
  }
}

/** Undefined also if the service cannot return it: that must not hide the failure itself. */
const failedInstruction = ({ client }: Session, params: BuildReference) =>
  client.call(allRoutes.readBuildDetails, { params }).then(
    (details) => details.failed_instruction ?? undefined,
    () => undefined,
  )

function failureOf(attempt: BuildAttempt, failed: FailedInstruction | undefined): CliError {
  const detail = attempt.error_detail === '' ? '' : `: ${attempt.error_detail.replaceAll(';', ', ')}`
  const problems = failed && [instructionText(failed)]
  return new CliError(`The build ended as ${attempt.terminal_class}${detail}`, {
    ...(problems && { problems }),
    code: attempt.error_code || attempt.terminal_class,
    // The error catalogue refers to the field by its API name.
    hint:
      attempt.next_action.replace('error_detail says', 'the error above says') ||
      'Watch the build again with sandbox build watch.',
  })
}

const tailLines = 20

/**
 * The last lines of the log, which show the reason of most failures. A build that was refused before it ran has no
 * log.
 */
async function showLogTail({ client, report }: Session, reference: BuildReference): Promise<void> {
  if (report.json) return
  const text = await client
    .call(allRoutes.readBuildLog, { params: reference })
    .then((response) => response.text())
    .catch(() => '')
  const lines = escapeLines(text).trimEnd().split('\n')
  if (text === '') return
  if (lines.length > tailLines)
    report.progress(`  … ${lines.length - tailLines} earlier lines, see sandbox build log`)
  for (const line of lines.slice(-tailLines)) report.progress(`  ${line}`)
}

/**
 * Shows changes since the last call: finished stages with their durations and, on a terminal without other output, a
 * moving line.
 */
function stageView({ report }: Session, { isAlone }: { isAlone: boolean }): (attempt: BuildAttempt) => void {
  const moving = isAlone && process.stderr.isTTY === true && !report.json
  const startedAt = performance.now()
  let stage = ''
  let index = 0
  let since = startedAt
  let count = 0
  return (attempt) => {
    // An ended attempt is in no stage and has no stage count.
    count = Math.max(count, attempt.stage_count)
    const over = attempt.terminal_class !== ''
    if (moving) process.stderr.write('\r\u001b[K')
    if (stage !== '' && (over || attempt.stage_code !== stage)) {
      const failed = over && attempt.terminal_class !== 'completed'
      report.progress(stageLine({ stage, index, ms: performance.now() - since, failed }, count))
    }
    if (attempt.stage_code !== stage || over) {
      if (report.json) report.event('', { event: over ? 'build_ended' : 'build_stage', build: attempt })
      stage = attempt.stage_code
      index = attempt.stage_index
      since = performance.now()
    }
    if (moving && !over) {
      const position = `${attempt.stage_index}/${attempt.stage_count}`
      const time = durationText(performance.now() - since)
      process.stderr.write(
        `build ${barOf(attempt.stage_index, attempt.stage_count)} ${position} ${stage} ${time}`,
      )
    }
    if (over)
      report.progress(`build ${attempt.terminal_class} in ${durationText(performance.now() - startedAt)}`)
  }
}

interface StageEnd {
  stage: string
  index: number
  ms: number
  failed: boolean
}

function stageLine({ stage, index, ms, failed }: StageEnd, count: number): string {
  const mark = failed ? paint('failed', 'red', process.stderr) : paint('done', 'green', process.stderr)
  const position = count === 0 ? '    ' : `${String(index).padStart(2)}/${count}`
  return `build ${position} ${stage.padEnd(18)} ${durationText(ms).padStart(8)} ${mark}`
}
