import { resolve } from 'node:path'
import type { RunArtifact } from '@sandbox-jobs/contract/resources/runs/run-artifact.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError } from '../../failure.ts'
import { findRun } from '../../lookup/find-run.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { bytesText } from '../../output/sizes.ts'
import { checkedSegments } from '../../runs/artifact-path.ts'
import { bodyOf, modifiedAtOf } from '../../runs/download.ts'
import { listArtifacts } from '../../runs/list-artifacts.ts'
import { type Destination, saveArtifact } from '../../runs/save-artifact.ts'
import { notAllSaved, type UnsavedArtifact, unsavedArtifact } from '../../runs/unsaved-artifacts.ts'
import type { RunReference } from '../../runs/watch-run.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
  out: string
  force?: boolean
}

export const artifactsGetCommand = (): Command =>
  serviceCommand('get')
    .description('download the artifacts of a run')
    .argument('<run>', 'id of the run')
    .argument('[paths...]', 'only these artifacts, by path')
    .addOption(runRoomOption())
    .option('--out <dir>', 'folder to save in; nothing is written outside it', '.')
    .option('--force', 'replace existing files')
    .action((run: string, paths: string[], options: Options) =>
      withSession(options, (session) => get(session, { run, paths, options })),
    )

interface Wanted {
  run: string
  paths: string[]
  options: Options
}

async function get(session: Session, { run, paths, options }: Wanted): Promise<void> {
  const reference = await findRun(session, run, options.room)
  const all = await listArtifacts(session, reference)
  const missing = paths.find((path) => !all.some((item) => item.relative_path === path))
  if (missing !== undefined) throw noSuchArtifact(missing, run)
  const chosen = paths.length === 0 ? all : all.filter((item) => paths.includes(item.relative_path))
  if (all.length === 0) return tellNone(session, reference)
  const folder = resolve(options.out)
  const saved: { relative_path: string; byte_size: number; path: string }[] = []
  const unsaved: UnsavedArtifact[] = []
  for (const item of chosen) {
    try {
      const path = await save(session, reference, item, { folder, replace: options.force === true })
      saved.push({ relative_path: item.relative_path, byte_size: item.byte_size, path })
      session.report.progress(`saved ${escapeControls(item.relative_path)} (${bytesText(item.byte_size)})`)
    } catch (error) {
      unsaved.push(unsavedArtifact(item.relative_path, error))
    }
  }
  const count = `${saved.length} ${saved.length === 1 ? 'file' : 'files'}`
  session.report.result(`${count} in ${escapeControls(folder)}\n`, { run_id: run, saved, unsaved })
  if (unsaved.length > 0) throw notAllSaved(unsaved, saved.length)
}

/** A name that cannot be saved is refused before its bytes are read. */
async function save(
  { client }: Session,
  place: RunReference,
  item: RunArtifact,
  where: Pick<Destination, 'folder' | 'replace'>,
): Promise<string> {
  checkedSegments(item.relative_path)
  const response = await client.call(allRoutes.readRunArtifact, { params: { ...place, aid: item.id } })
  return saveArtifact(bodyOf(response), {
    ...where,
    relativePath: item.relative_path,
    byteSize: item.byte_size,
    digest: item.digest,
    modifiedAt: modifiedAtOf(response),
  })
}

/** With the reason where a rule kept the service from keeping any. */
async function tellNone(session: Session, place: RunReference): Promise<void> {
  const { remarks } = await session.client.call(allRoutes.readRunRemarks, { params: place })
  const refused = remarks.filter(({ code }) => code === 'artifacts_refused')
  for (const { message } of refused) session.report.progress(escapeControls(message))
  session.report.result(`${place.rid} has no artifacts; nothing was saved.\n`, {
    run_id: place.rid,
    saved: [],
    unsaved: [],
  })
}

const noSuchArtifact = (path: string, run: string) =>
  new CliError(`${run} has no artifact ${path}.`, {
    hint: `sandbox artifacts list ${run} shows what it has.`,
    code: 'cli_unknown_name',
  })
