import { resolve } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError } from '../../failure.ts'
import { findRun } from '../../lookup/find-run.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { bytesText } from '../../output/sizes.ts'
import { checkedSegments } from '../../runs/artifact-path.ts'
import { bodyOf } from '../../runs/download.ts'
import { listArtifacts } from '../../runs/list-artifacts.ts'
import { saveArtifact } from '../../runs/save-artifact.ts'
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
  const place = await findRun(session, run, options.room)
  const all = await listArtifacts(session, place)
  const missing = paths.find((path) => !all.some((item) => item.relative_path === path))
  if (missing !== undefined) throw noSuchArtifact(missing, run)
  const chosen = paths.length === 0 ? all : all.filter((item) => paths.includes(item.relative_path))
  // All names are checked before the first file is written.
  for (const item of chosen) checkedSegments(item.relative_path)
  const folder = resolve(options.out)
  const saved: { relative_path: string; byte_size: number; path: string }[] = []
  for (const item of chosen) {
    const bytes = await session.client.call(allRoutes.readRunArtifact, { params: { ...place, aid: item.id } })
    const path = await saveArtifact(bodyOf(bytes), {
      folder,
      relativePath: item.relative_path,
      byteSize: item.byte_size,
      digest: item.digest,
      replace: options.force === true,
    })
    saved.push({ relative_path: item.relative_path, byte_size: item.byte_size, path })
    session.report.progress(`saved ${escapeControls(item.relative_path)} (${bytesText(item.byte_size)})`)
  }
  const count = `${saved.length} ${saved.length === 1 ? 'file' : 'files'}`
  session.report.result(`${count} in ${escapeControls(folder)}\n`, { run_id: run, saved })
}

const noSuchArtifact = (path: string, run: string) =>
  new CliError(`${run} has no artifact ${path}.`, {
    hint: `sandbox artifacts list ${run} shows what it has.`,
    code: 'cli_unknown_name',
  })
