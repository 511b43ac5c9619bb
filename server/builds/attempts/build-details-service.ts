import type { BuildDetails, BuildStageRecord } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Executing } from '../../db/database.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import { buildStages } from '../../environments/versions/build-stages.ts'
import { type AttemptView, findAttempt } from './attempt-record-store.ts'
import type { BuildPath } from './build-query-service.ts'
import { listStages, type StageRow } from './claims/stage-store.ts'

/** Timing and outcome of each stage of a build, for owner managers. */
export async function readBuildDetails(
  db: Executing,
  principal: Principal,
  path: BuildPath,
): Promise<BuildDetails> {
  const attempt = await managedAttempt(db, principal, path)
  return {
    build_id: attempt.id,
    queued_at: attempt.queued_at.toISOString(),
    started_at: attempt.started_at?.toISOString() ?? null,
    terminal_at: attempt.terminal_at?.toISOString() ?? null,
    stages: await renderStages(db, { companyId: principal.companyId, attemptId: attempt.id }),
    failed_instruction: attempt.failed_instruction,
    network: attempt.network,
  }
}

/** An attempt of an environment that the principal manages; throws `not_found` for any other. */
export async function managedAttempt(
  db: Executing,
  principal: Principal,
  path: BuildPath,
): Promise<AttemptView> {
  await managedEnvironment(db, principal, 'environment.inspect', path.environmentId)
  const attempt = await findAttempt(db, { companyId: principal.companyId, ...path }, path.attemptId)
  if (!attempt) throw notFound()
  return attempt
}

/** The stages that the chain entered, in the order of the chain. */
export async function renderStages(
  db: Executing,
  attempt: { companyId: string; attemptId: string },
): Promise<BuildStageRecord[]> {
  const stages = new Map((await listStages(db, attempt)).map((row) => [row.stage, row]))
  return buildStages.flatMap((stage) => {
    const row = stages.get(stage)
    return row ? [{ stage, ...renderStage(row) }] : []
  })
}

const renderStage = ({
  outcome,
  started_at,
  ended_at,
  passes,
}: StageRow): Omit<BuildStageRecord, 'stage'> => ({
  outcome,
  started_at: started_at.toISOString(),
  ended_at: ended_at?.toISOString() ?? null,
  duration_ms: ended_at && ended_at.getTime() - started_at.getTime(),
  passes,
})
