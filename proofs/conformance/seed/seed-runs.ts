import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { newId } from '../../../server/base/ids.ts'
import { sha256Of } from '../../../server/base/sha256.ts'
import { makeRun } from '../../../testing/factories/runs.ts'
import type { SeedScope, SeedTools } from './seed-tools.ts'

export async function makeRuns(
  tools: SeedTools,
  made: SeedScope & { task: string; taskVersion: string; share: string; environmentVersion: string },
) {
  const { db, storage } = tools
  const pins = {
    companyId: made.companyId,
    taskId: made.task,
    versionId: made.taskVersion,
    environmentVersionId: made.environmentVersion,
    shareGrantId: made.share,
  }
  const queuedRun = await makeRun(db, pins, { chatroom_id: made.room })
  const ended = { state: 'completed', exit_code: 0, terminal_at: new Date() }
  const run = await makeRun(db, pins, { chatroom_id: made.room, ...ended })
  const text = 'bytes'
  const stored = { bytes: text.length, digest: sha256Of(text) }
  for (const name of ['output', 'log', 'bundle']) await storage.put(`runs/${run}/${name}`, Buffer.from(text))
  await db
    .insertInto('run_contents')
    .values({
      run_id: run,
      company_id: made.companyId,
      output_key: `runs/${run}/output`,
      output_bytes: stored.bytes,
      output_digest: stored.digest,
      log_key: `runs/${run}/log`,
      log_bytes: stored.bytes,
      log_digest: stored.digest,
      bundle_key: `runs/${run}/bundle`,
      bundle_bytes: stored.bytes,
    })
    .execute()
  const artifact = newId('artifact')
  await db
    .insertInto('run_artifacts')
    .values({
      id: artifact,
      run_id: run,
      company_id: made.companyId,
      relative_path: 'report.txt',
      path_hash: sha256Of('report.txt'),
      bundle_offset: 0,
      byte_size: stored.bytes,
      digest: stored.digest,
      declared_content_type: 'text/plain',
    })
    .execute()
  const link = await tools.sendOk(made.manager, allRoutes.mintLogLink, {
    params: { cid: made.room, rid: run },
  })
  const params = { cid: made.room, rid: run }
  const signed = async (body: Record<string, string>) => {
    const { id, url } = await tools.sendOk(made.manager, allRoutes.createSignedLink, { params, body })
    return {
      id: String(id),
      token:
        String(url)
          .split('/')
          .at(body.purpose === 'share' ? -1 : -2) ?? '',
    }
  }
  const share = await signed({ purpose: 'share' })
  const media = await signed({ purpose: 'media', object_kind: 'artifact', artifact_id: artifact })
  return {
    run,
    queuedRun,
    artifact,
    publicToken: String(link.token),
    link: share.id,
    shareToken: share.token,
    sharedObject: 'output',
    mediaToken: media.token,
    mediaName: 'report.txt',
  }
}
