import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { ArchiveFormat } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import type { EnvironmentCreateRequest } from '@sandbox-jobs/contract/resources/environments/environment.ts'
import type { SelectableProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { addressOf, api } from '../../data/api/api.ts'
import { sendFile } from '../../data/api/send-file.ts'

/** A version that is to be made: an archive, and the environment that it is for, which may have to be made. */
export interface UploadPlan {
  environment: { id: string } | { create: EnvironmentCreateRequest }
  file: File
  profile: SelectableProfile
}

export const uploadSteps = ['create', 'send', 'check', 'version', 'build'] as const
export type UploadStep = (typeof uploadSteps)[number]

/** The steps of a plan that are done: repeated after a failure, it goes on from there. */
export interface Done {
  /** Makes one environment, however often the request is repeated. */
  key: string
  id?: string
  session?: { sid: string; capability: string; header: string }
  objectId?: string
  vid?: string
}

export interface Progress {
  onStep: (step: UploadStep) => void
  /** From 0 to 1. */
  onSent: (share: number) => void
  signal: AbortSignal
}

/** The build of the new version; without an identifier if its answer got lost. */
export interface Built {
  id: string
  vid: string
  aid?: string
}

const endings: readonly (readonly [string, ArchiveFormat])[] = [
  ['.zip', 'zip'],
  ['.tar', 'tar'],
  ['.tar.gz', 'tar.gz'],
  ['.tgz', 'tar.gz'],
]

/** The format of an archive by its name; undefined for other files. */
export const formatOf = (name: string): ArchiveFormat | undefined =>
  endings.find(([ending]) => name.toLowerCase().endsWith(ending))?.[1]

/** Makes a version of an archive and starts its build. Adds to `done`, so that a repeat does nothing twice. */
export async function uploadVersion(plan: UploadPlan, done: Done, progress: Progress): Promise<Built> {
  const { signal } = progress
  progress.onStep('create')
  done.id ??= await environmentFor(plan, done.key, signal)
  const { id } = done
  done.objectId ??= await uploaded(plan, { id, done }, progress)
  progress.onStep('version')
  done.vid ??= (
    await api.call(allRoutes.createEnvironmentVersion, {
      params: { id },
      body: {
        owned_object_id: done.objectId,
        source_ref: plan.file.name,
        resource_profile: plan.profile,
      },
      signal,
    })
  ).id
  progress.onStep('build')
  const params = { id, vid: done.vid }
  try {
    const { id: aid } = await api.call(allRoutes.createBuild, { params, signal })
    return { ...params, aid }
  } catch (error) {
    // An earlier request has started it.
    if (error instanceof ApiError && error.code === 'nonterminal_exists') return params
    throw error
  }
}

const environmentFor = async (
  { environment }: UploadPlan,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<string> =>
  'id' in environment
    ? environment.id
    : (await api.call(allRoutes.createEnvironment, { body: environment.create, idempotencyKey, signal })).id

async function uploaded(
  { file }: UploadPlan,
  { id, done }: { id: string; done: Done },
  { onStep, onSent, signal }: Progress,
): Promise<string> {
  onStep('send')
  onSent(0)
  done.session ??= await openSession(id, file, signal)
  const { sid, capability, header } = done.session
  const params = { id, sid }
  const { putContextUpload: put } = allRoutes
  try {
    await sendFile({
      method: put.method,
      address: addressOf(put, { params }),
      headers: { [header]: capability },
      file,
      onProgress: onSent,
      signal,
    })
    onStep('check')
    const object = await api.call(allRoutes.completeContextUpload, {
      params,
      body: { expected_size: file.size },
      signal,
    })
    return object.owned_object_id
  } catch (error) {
    // A session that was refused is of no more use; one whose answer got lost takes the bytes again.
    if (error instanceof ApiError || signal.aborted) await dropSession(id, done)
    throw error
  }
}

async function openSession(id: string, file: File, signal: AbortSignal) {
  const opened = await api.call(allRoutes.initContextUpload, {
    params: { id },
    body: { declared_bytes: file.size, archive_format: formatOf(file.name) ?? 'tar.gz' },
    signal,
  })
  return {
    sid: opened.upload_session_id,
    capability: opened.capability_token,
    header: opened.put_header_name,
  }
}

/** Frees the slot of an upload that will not be finished. The service does it too, after a day. */
async function dropSession(id: string, done: Done): Promise<void> {
  const { session } = done
  if (session === undefined) return
  delete done.session
  await api.call(allRoutes.abortContextUpload, { params: { id, sid: session.sid } }).catch(() => undefined)
}
