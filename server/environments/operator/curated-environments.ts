import { environmentMachine } from '@sandbox-jobs/contract/states/catalog-states.ts'
import { environmentVersionMachine } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { newId } from '../../base/ids.ts'
import type { Database, Executing, Trx } from '../../db/database.ts'
import { recordCreated, transition } from '../../db/transition.ts'
import type { EnvironmentContext } from '../catalogue/environment-context.ts'
import {
  type CuratedEnvironment,
  insertCuratedEnvironment,
  listCuratedRows,
  lockCuratedEnvironment,
} from '../catalogue/environment-store.ts'
import { findPublishable, insertVersion, type VersionRow } from '../versions/version-store.ts'

/*
 * Curated environments belong to the operator. Every company reads and runs them; no company changes them (contract
 * part 1, "Environment"). A curated version is made from the archive of a company's version that the operator names,
 * and is built, verified and signed like any other. It shares nothing with that company's environment, so the company
 * may change or delete its own.
 */

export interface Publishing {
  /** A ready version of any company. */
  sourceVersionId: string
  name: string
  /** Description of a new environment. An existing one keeps its description. */
  description: string
}

/**
 * `source_unknown`: no company has such a version. `source_archive_gone`: the archive to build from no longer exists.
 */
export type PublishingRefusal = 'source_unknown' | 'source_not_ready' | 'source_archive_gone'

export interface AddedVersion {
  environmentId: string
  versionId: string
  versionNumber: number
  source: { companyId: string; digest: string }
}

/**
 * Adds the next version, still a draft, to the curated environment with that name. Creates the environment if it does
 * not exist.
 */
export async function addCuratedVersion(
  trx: Trx,
  { sourceVersionId, name, description }: Publishing,
): Promise<AddedVersion | PublishingRefusal> {
  const source = await findPublishable(trx, sourceVersionId)
  if (source === undefined || source.company_id === null) return 'source_unknown'
  if (source.state !== 'ready' || source.security_state !== 'clear') return 'source_not_ready'
  if (source.owned_object_id === null || source.object_digest === null) return 'source_archive_gone'
  const environmentId = await lockCurated(trx, { name, description })
  const id = newId('environmentVersion')
  const versionNumber = await insertVersion(trx, {
    id,
    company_id: null,
    environment_id: environmentId,
    resource_profile: source.resource_profile,
    isolation: source.isolation,
    owned_object_id: source.owned_object_id,
    source_digest: source.object_digest,
    source_ref: source.source_ref,
  })
  await recordCreated(trx, { machine: environmentVersionMachine, id, companyId: null, state: 'draft' })
  const { company_id: companyId, object_digest: digest } = source
  return { environmentId, versionId: id, versionNumber, source: { companyId, digest } }
}

/** Undefined if the version belongs to a company. */
export async function findCuratedVersion(db: Executing, id: string): Promise<VersionRow | undefined> {
  const version = await findPublishable(db, id)
  return version?.company_id === null ? version : undefined
}

async function lockCurated(trx: Trx, texts: { name: string; description: string }): Promise<string> {
  const id = newId('environment')
  if (await insertCuratedEnvironment(trx, { id, ...texts })) {
    await recordCreated(trx, { machine: environmentMachine, id, companyId: null, state: 'active' })
    return id
  }
  const found = await lockCuratedEnvironment(trx, texts.name)
  if (found === undefined) throw new Error('a curated environment was archived while it was published')
  return found
}

/** All curated environments, including archived ones, newest first. */
export const listCuratedEnvironments = (db: Executing): Promise<CuratedEnvironment[]> => listCuratedRows(db)

/**
 * Prevents new publications on the environment and cancels its queued builds. Tasks pinned to its versions continue
 * to run. False if no active environment has that name.
 */
export async function archiveCuratedEnvironment(
  db: Database,
  name: string,
  endWaitingBuilds: EnvironmentContext['endWaitingBuilds'],
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const id = await lockCuratedEnvironment(trx, name)
    if (id === undefined) return false
    await transition(trx, {
      table: 'environments',
      machine: environmentMachine,
      id,
      companyId: null,
      to: 'archived',
    })
    await endWaitingBuilds(trx, { id, company_id: null })
    return true
  })
}
