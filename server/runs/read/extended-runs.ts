import type { ExtendedRun, ExtendedRunList } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { Principal } from '../../access/principal.ts'
import type { Executing } from '../../db/database.ts'
import type { FindRunDeps, RunAddress } from '../lookup/readable-run.ts'
import type { RunPart } from '../parts/run-part.ts'
import { runParts, type ShownParts } from '../parts/run-parts.ts'
import type { RunServices } from '../run-services.ts'
import { listRoomRuns, type RunListQuery, readRun } from './read-runs.ts'

/** Runs of one company with the parts that they carry. */
export async function extendRuns(db: Executing, runs: readonly RunDetail[]): Promise<ExtendedRun[]> {
  const [first] = runs
  if (!first) return []
  const ids = runs.map(({ id }) => id)
  const parts: readonly Pick<RunPart, 'show'>[] = runParts
  const fields = await Promise.all(
    parts.flatMap(({ show }) => (show ? [show(db, first.company_id, ids)] : [])),
  )
  const shownOf = (id: string): ShownParts => Object.assign({}, ...fields.map((of) => of(id)))
  return runs.map((run) => ({ ...run, ...shownOf(run.id) }))
}

export async function extendRun(db: Executing, run: RunDetail): Promise<ExtendedRun> {
  const [extended] = await extendRuns(db, [run])
  if (!extended) throw new Error('a run is not shown')
  return extended
}

export const readExtendedRun = async (
  deps: FindRunDeps,
  principal: Principal,
  address: RunAddress,
): Promise<ExtendedRun> => extendRun(deps.db, await readRun(deps, principal, address))

export async function listExtendedRuns(
  deps: RunServices,
  principal: Principal,
  { chatroomId, query }: { chatroomId: string; query: RunListQuery },
): Promise<ExtendedRunList> {
  const { items, ...page } = await listRoomRuns(deps, principal, chatroomId, query)
  return { ...page, items: await extendRuns(deps.db, items) }
}
