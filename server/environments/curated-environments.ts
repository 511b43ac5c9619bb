import { environmentMachine } from '@sandbox-jobs/contract/states/catalog-states.ts'
import { environmentVersionMachine } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { newId } from '../base/ids.ts'
import type { Database, Executing, Trx } from '../db/database.ts'
import { noteCreated, transition } from '../db/transition.ts'
import type { EnvironmentContext } from './environment-context.ts'
import {
  type CuratedEnvironment,
  insertCuratedEnvironment,
  listCuratedRows,
  lockCuratedEnvironment,
} from './environment-store.ts'
import { findPublishable, insertVersion, type VersionRow } from './version-store.ts'

/*
 * Environments of the operator's that every company reads and runs, and none changes (contract part 1, "Environment").
 * A version of one is made of the archive of a company's version that the operator names, and built, proved and signed
 * as any other: nothing of that company's environment is shared, so it may change or go as it likes.
 */

export interface Publishing {
  /** A version that is ready, of whichever company. */
  sourceVersionId: string
  name: string
  /** Given to a new environment; one that is there keeps its own. */
  description: string
}

/** `source_unknown`: no version of a company; `source_archive_gone`: nothing is left to build it of. */
export type PublishingRefusal = 'source_unknown' | 'source_not_ready' | 'source_archive_gone'

export interface AddedVersion {
  environmentId: string
  versionId: string
  versionNumber: number
  source: { companyId: string; digest: string }
}

/** The next version of the curated environment of that name, a draft still; the environment is made when there is none. */
export async function addCuratedVersion(
  trx: Trx,
  { sourceVersionId, name, description }: Publishing,
): Promise<AddedVersion | PublishingRefusal> {
  const source = await findPublishable(trx, sourceVersionId)
  if (source === undefined || source.company_id === null) return 'source_unknown'
  if (source.state !== 'ready' || source.security_state !== 'clear') return 'source_not_ready'
  if (source.owned_object_id === null || source.object_digest === null) return 'source_archive_gone'
  const environmentId = await holdCurated(trx, { name, description })
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
  await noteCreated(trx, { machine: environmentVersionMachine, id, companyId: null, state: 'draft' })
  const { company_id: companyId, object_digest: digest } = source
  return { environmentId, versionId: id, versionNumber, source: { companyId, digest } }
}

/** Undefined for a version of a company's. */
export async function findCuratedVersion(db: Executing, id: string): Promise<VersionRow | undefined> {
  const version = await findPublishable(db, id)
  return version?.company_id === null ? version : undefined
}

async function holdCurated(trx: Trx, texts: { name: string; description: string }): Promise<string> {
  const id = newId('environment')
  if (await insertCuratedEnvironment(trx, { id, ...texts })) {
    await noteCreated(trx, { machine: environmentMachine, id, companyId: null, state: 'active' })
    return id
  }
  const found = await lockCuratedEnvironment(trx, texts.name)
  if (found === undefined) throw new Error('a curated environment was archived while it was published')
  return found
}

/** All of them, archived ones too, newest first. */
export const listCuratedEnvironments = (db: Executing): Promise<CuratedEnvironment[]> => listCuratedRows(db)

/**
 * Nothing new is published on it, and builds that wait are cancelled; tasks that stand on its versions go on. False: there is
 * no active one of that name.
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
