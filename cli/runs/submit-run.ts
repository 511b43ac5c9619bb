import { randomUUID } from 'node:crypto'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { nameAndValue } from '../args/name-and-value.ts'
import { readWithRetry } from '../session/read-with-retry.ts'
import type { Session } from '../session/session.ts'
import { bodyWithInput, type RunInput } from './read-input.ts'
import { type LocalFile, uploadFiles } from './upload-files.ts'

export interface RunToSubmit {
  cid: string
  versionId: string
  input: RunInput
  timeoutSeconds?: number | undefined
  files: readonly LocalFile[]
  /** `key=value`. */
  metadata: readonly string[]
  sessionId?: string | undefined
}

/** Uploads the files of a run and submits it. If it is refused, they are deleted. */
export async function submitRun(session: Session, run: RunToSubmit): Promise<RunDetail> {
  const metadata = Object.fromEntries(
    run.metadata.map((text) => {
      const { name, value } = nameAndValue('--meta', text)
      return [name, value]
    }),
  )
  const { sessionId } = run
  const isExtended = run.files.length > 0 || run.metadata.length > 0 || sessionId !== undefined
  if (!isExtended) return send(session, run, { route: allRoutes.submitRun, extras: {} })
  const { files, drop } = await uploadFiles(session, run.cid, run.files)
  try {
    const taken = sessionId === undefined ? {} : { session: { session_id: sessionId } }
    const extras = { files, metadata, ...taken }
    return await send(session, run, { route: allRoutes.submitExtendedRun, extras })
  } catch (error) {
    await drop()
    throw error
  }
}

async function send(
  { client, report }: Session,
  { cid, versionId, timeoutSeconds, input }: RunToSubmit,
  to: {
    route: typeof allRoutes.submitRun | typeof allRoutes.submitExtendedRun
    extras: Record<string, unknown>
  },
): Promise<RunDetail> {
  const timeout = timeoutSeconds === undefined ? {} : { timeout_seconds: timeoutSeconds }
  const rest = { task_version_id: versionId, ...timeout, ...to.extras }
  const idempotencyKey = randomUUID()
  return readWithRetry(
    () =>
      client.call(to.route, {
        params: { cid },
        ...bodyWithInput(rest, input),
        idempotencyKey,
      }),
    () => report.progress('The service does not accept the run yet; retrying.'),
  )
}
